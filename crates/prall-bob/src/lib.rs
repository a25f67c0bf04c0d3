//! The bobsleigh: ice tracks from a handful of numbers a curve, a sled of nine bodies on them, a pilot and a stopwatch.
//!
//! - [`track`]: plan, height, sections, surface, mesh, borders.
//! - [`sled`]: setup files, the multibody sled and its contacts with the ice.
//! - [`pilot`]: a plan of the whole track, and who steers by it.
//! - [`run`]: from the block over the light barriers to the brake.
//! - [`record`]: runs written down a hundred times a second, and their files.
//! - [`analysis`]: the driven line over the station, curve by curve, and against another run's.
//! - [`haptics`]: what the hands feel, sent to a force device, and the controller of one.
//! - [`study`]: the published times, and what restitution, friction, springs, entries and hits do.
//! - [`safety`]: loads, lift-offs, planking hits and crashes over the station.
//!
//! After Rempfler (*Entwicklung eines Bobsimulators*, ETH Zurich 2015), with the printed errors corrected.

pub mod analysis;
pub mod haptics;
pub mod pilot;
pub mod record;
pub mod run;
pub mod safety;
pub mod sled;
pub mod study;
pub mod track;
