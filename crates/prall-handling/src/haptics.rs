//! Force feedback: what a device shall press a hand with, a thousand times a second, while the filter takes its own time.
//!
//! The filter publishes the pose that it allowed and the planes of its contacts, at most six ([`Mailbox`]). The device thread reads the newest ones without waiting and renders
//! ```text
//! x      device's pose, seen from the published one
//! goal   nearest to x with  n . (d + t x r) >= -room  for every published plane
//! F      k (goal - x) - b v,  only while a plane is violated
//! ```
//! so a free hand feels nothing, and a hand in contact feels the wall where it is now, not where it was when the filter looked.
//!
//! **A delay tau makes a spring feed energy in**, as if its damping were -k tau: 2000 N/m and 10 ms are -20 N s/m, more than devices have. The
//! device therefore states its mass, damping and delay ([`DeviceModel`]), and forces are computed for the pose that the device will have when they arrive: the model, moved by the
//! forces that are under way. With an exact model the loop is the one without delay.
//!
//! **A hand gets back no more than it gave**, whatever the delay: the work of each force is measured, and a force is sent only if what the hand has given pays for it even if the hand
//! lets go now ([`Renderer::stored_energy`]).
//!
//! Forces are limited in size and in change per tick, and they fade when nothing new was published for a while.

mod device;
mod energy;
mod mailbox;
mod renderer;
mod udp;

pub use device::{DeviceModel, HapticDevice, VirtualDevice};
pub use mailbox::{Constraints, Mailbox, Plane};
pub use renderer::{HapticOptions, Renderer, run};
pub use udp::{WrenchPacket, WrenchSender};

#[cfg(test)]
mod tests;
