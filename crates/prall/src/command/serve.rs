//! `prall serve`.

use super::{Failure, print_line};
use crate::recording::{Store, default_directory};
use crate::server::{self, Entry, ForceOptions, Gallery, Options};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// Where to listen.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct Address {
    /// Port; 0 takes any free one
    #[arg(long, default_value_t = DEFAULT_PORT, value_name = "N")]
    pub(super) port: u16,
    /// Address to listen on; beyond this machine a token is wanted, which is printed with the address
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    pub(super) host: IpAddr,
    /// Encrypt, with a certificate that is made at the start; headsets on other machines need it
    #[arg(long)]
    pub(super) https: bool,
}

/// Where to listen, and whether to open the browser; shared by everything that shows the page.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct Listening {
    #[command(flatten)]
    pub(super) address: Address,
    /// Open the browser
    #[arg(long)]
    pub(super) open: bool,
    #[command(flatten)]
    pub(super) room: Room,
    #[command(flatten)]
    pub(super) devices: Devices,
}

/// For how many there is room.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct Room {
    /// Most simulations at a time, 1 to 256; each has a thread and up to 64 MB of history
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=256))]
    sessions: u16,
    /// Most pages at a time, 1 to 1000; those beyond it are refused
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pages: u16,
}

/// Hands that other programs track, and devices that other programs drive.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct Devices {
    /// Await UDP packets of a tracked hand here, as 127.0.0.1:7879; see docs/telemetry.md
    #[arg(long, value_name = "ADDRESS")]
    tracker: Option<SocketAddr>,
    /// Send the contact forces on the part in hand to this address by UDP
    #[arg(long, value_name = "ADDRESS")]
    wrench: Option<SocketAddr>,
    /// Press the tracked hand by a force-feedback device at this address, a thousand times a second; see docs/telemetry.md
    #[arg(long, value_name = "ADDRESS", requires = "tracker")]
    force: Option<SocketAddr>,
    /// Stiffness of the walls that the device renders, in N/m, 10 to 5000
    #[arg(long, value_name = "N/M", default_value_t = 800.0, value_parser = within::<10, 5000>)]
    force_stiffness: f64,
    /// Largest force of the device, in N, 0 to 100
    #[arg(long, value_name = "N", default_value_t = 20.0, value_parser = within::<0, 100>)]
    force_limit: f64,
    /// Mass of the device that the hand feels, in g, 10 to 5000
    #[arg(long, value_name = "G", default_value_t = 200.0, value_parser = within::<10, 5000>)]
    force_mass: f64,
    /// From a pose to the force that answers it, in ms, 0 to 50
    #[arg(long, value_name = "MS", default_value_t = 5.0, value_parser = within::<0, 50>)]
    force_delay: f64,
}

/// A number of a range.
fn within<const FROM: i32, const TO: i32>(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().map_err(|error| error.to_string())?;
    let range = f64::from(FROM)..=f64::from(TO);
    if range.contains(&number) { Ok(number) } else { Err(format!("it must be from {FROM} to {TO}")) }
}

impl Devices {
    /// The device that presses the tracked hand, if there is one.
    fn force(&self) -> Option<ForceOptions> {
        let mut options = ForceOptions::to(self.force?);
        options.rendering.stiffness = self.force_stiffness;
        options.rendering.max_force = self.force_limit;
        options.model.mass = 1e-3 * self.force_mass;
        options.model.delay = 1e-3 * self.force_delay;
        Some(options)
    }
}

impl Default for Devices {
    fn default() -> Devices {
        Devices {
            tracker: None,
            wrench: None,
            force: None,
            force_stiffness: 800.0,
            force_limit: 20.0,
            force_mass: 200.0,
            force_delay: 5.0,
        }
    }
}

#[derive(Default, clap::Args)]
pub(super) struct Arguments {
    /// Scene files, TOML, URDF or JSON of Rigid IPC, that are shown beside the gallery's own scenes
    files: Vec<PathBuf>,
    #[command(flatten)]
    listening: Listening,
    /// Directory of the recordings, by default one of the person's own
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    #[command(flatten)]
    packages: super::packages::Packages,
}

pub(super) const DEFAULT_PORT: u16 = 7878;

impl Default for Listening {
    fn default() -> Listening {
        let address = Address { port: DEFAULT_PORT, host: Options::default().host, https: false };
        let room = Room { sessions: 16, pages: 64 };
        Listening { address, open: false, room, devices: Devices::default() }
    }
}

impl Listening {
    /// The same on another port.
    pub(super) fn on_port(mut self, port: u16) -> Listening {
        self.address.port = port;
        self
    }
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let store = Store::new(arguments.recordings.clone().unwrap_or_else(default_directory));
    arguments.packages.declare();
    let mut gallery = Gallery::standard();
    for path in &arguments.files {
        let entry = Entry::of_file(path)?;
        entry.file.iter().for_each(|file| super::run::print_notes(&file.scene()));
        gallery = gallery.with(entry);
    }
    let path = arguments.files.first().map(|path| format!("#/scene/{}", name_of(path)));
    serve(gallery, &arguments.listening, store, path.as_deref().unwrap_or(""))
}

/// The name of a scene file in addresses: that of the file, without its ending.
fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| "file".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Serves a gallery until the person ends it; `path` is where in the page to begin.
pub(super) fn serve(
    gallery: Gallery,
    listening: &Listening,
    recordings: Store,
    path: &str,
) -> Result<(), Failure> {
    server::require_page()?;
    let Listening { address: Address { port, host, https }, open, room, devices } = *listening;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let Devices { tracker, wrench, .. } = devices;
        let force = devices.force();
        let (sessions, pages) = (usize::from(room.sessions), usize::from(room.pages));
        let options = Options {
            host,
            port,
            https,
            recordings,
            sessions,
            pages,
            tracker,
            wrench,
            force,
            ..Options::default()
        };
        let server = server::Server::bind(gallery, options).await?;
        let address = server.page_address(path);
        print_line(&format!("Prall is at {address}"))?;
        if let Some(fingerprint) = server.fingerprint() {
            print_line("The browser will warn of the certificate, which was made just now: accept it.")?;
            print_line(&format!("Its SHA-256 fingerprint is {fingerprint}"))?;
        }
        if let Some(address) = server.tracker_address() {
            print_line(&format!("A tracked hand is awaited at udp://{address}"))?;
        }
        print_line("Ctrl-C ends it.")?;
        if open {
            open_browser(&address);
        }
        server.run(async { tokio::signal::ctrl_c().await.unwrap_or(()) }).await?;
        Ok(())
    })
}

/// Asks the desktop to open an address; where there is none, the printed address is enough.
fn open_browser(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(target_os = "windows") {
        "explorer"
    } else {
        "xdg-open"
    };
    if std::process::Command::new(program).arg(address).spawn().is_err() {
        eprintln!("prall: no browser could be started ({program} is missing); open the address by hand");
    }
}
