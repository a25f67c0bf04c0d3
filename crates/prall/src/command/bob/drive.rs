//! `prall bob drive`: the pilot's seat in the browser.

use super::scenario::open_setup;
use crate::command::Failure;
use crate::command::serve::{Address, Listening, serve};
use crate::recording::{Store, default_directory};
use crate::server::Gallery;
use prall_bob::haptics::{FeelingOptions, Sender};
use prall_bob::track::Track;
use prall_scenes::{BobOffer, Haptics};
use std::net::ToSocketAddrs;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A track file, or a track by name; without one the page asks
    #[arg(long, value_name = "FILE")]
    track: Option<String>,
    /// Height profile of the file
    #[arg(long, default_value = "standard", value_name = "NAME")]
    profile: String,
    /// Setup of the sled; the two-man sled that comes with Prall if there is none
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,
    /// Set a value of the setup by its name, such as law.runner.along=0.005
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A recorded run to race against, by its name in the page's list
    #[arg(long, value_name = "RUN")]
    ghost: Option<String>,
    /// Directory of the runs, by default that of all recordings
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// Send the force at the ropes to a device by UDP while somebody drives, as `prall bob controller` takes it
    #[arg(long, value_name = "HOST:PORT")]
    haptics: Option<String>,
    /// Packets a second, 20 to 1000
    #[arg(long, default_value_t = 100.0, value_name = "N", requires = "haptics")]
    haptics_rate: f64,
    /// Factor on the force
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", requires = "haptics")]
    haptics_scale: f64,
    /// Largest force in N
    #[arg(long, default_value_t = 400.0, value_name = "N", requires = "haptics")]
    haptics_limit: f64,
    /// "damped" sends the force without the ice's damping, and that apart; "direct" sends torque over lever as it is
    #[arg(long, default_value = "damped", value_name = "LAW", requires = "haptics")]
    haptics_law: String,
    #[command(flatten)]
    address: Address,
    /// Only print the address
    #[arg(long)]
    no_open: bool,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let store = Store::new(arguments.recordings.clone().unwrap_or_else(default_directory));
    let known = |name: &str| {
        Track::known().position(|track| track == name).filter(|_| arguments.profile == "standard")
    };
    let (own, number) = match &arguments.track {
        None => (None, None),
        Some(name) => match known(name) {
            Some(index) => (None, Some(index + 1)),
            None => (Some(super::track::open(name, &arguments.profile)?), Some(Track::known().len() + 1)),
        },
    };
    let changed = arguments.setup.is_some() || !arguments.set.is_empty();
    let setup = changed.then(|| open_setup(arguments.setup.as_deref(), &arguments.set)).transpose()?;
    let haptics = haptics(arguments)?;
    let offer = BobOffer::with(own, setup, haptics).map_err(|error| format!("--setup: {error}"))?;
    if let Some(ghost) = &arguments.ghost {
        store.read(ghost).map_err(|error| format!("--ghost: {error}"))?;
    }
    let mut wishes: Vec<String> = number.iter().map(|number| format!("track={number}")).collect();
    wishes.extend(arguments.ghost.iter().map(|ghost| format!("ghost={ghost}")));
    let query = if wishes.is_empty() { String::new() } else { format!("?{}", wishes.join("&")) };
    let listening =
        Listening { address: arguments.address, open: !arguments.no_open, ..Listening::default() };
    serve(Gallery::standard().with_bob(offer), &listening, store, &format!("#bob{query}"))
}

/// Where the forces go; names are looked up and a socket is tried before anything is served.
fn haptics(arguments: &Arguments) -> Result<Option<Haptics>, Failure> {
    let Some(address) = &arguments.haptics else { return Ok(None) };
    let wrong = |error: &dyn std::fmt::Display| format!("--haptics {address}: {error}");
    let mut found = address.to_socket_addrs().map_err(|error| wrong(&error))?;
    let found = found.next().ok_or_else(|| wrong(&"the name leads to no address"))?;
    Sender::to(found).map_err(|error| wrong(&error))?;
    let law =
        super::controller::law(&arguments.haptics_law).map_err(|error| format!("--haptics-law: {error}"))?;
    let options = FeelingOptions {
        rate: arguments.haptics_rate,
        scale: arguments.haptics_scale,
        limit: arguments.haptics_limit,
        law,
    };
    match options.defect() {
        Some(defect) => Err(format!("--haptics: {defect}").into()),
        None => Ok(Some(Haptics { address: found, options })),
    }
}
