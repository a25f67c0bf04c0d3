//! `prall serve`.

use super::{Failure, print_line};
use crate::server::{self, Gallery};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Port on this machine; 0 takes any free one
    #[arg(long, default_value_t = DEFAULT_PORT, value_name = "N")]
    port: u16,
    /// Open the browser
    #[arg(long)]
    open: bool,
}

pub(super) const DEFAULT_PORT: u16 = 7878;

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments { port: DEFAULT_PORT, open: false }
    }
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    serve(Gallery::standard(), arguments.port, arguments.open, "")
}

/// Serves a gallery until the person ends it; `path` is where in the page to begin.
pub(super) fn serve(gallery: Gallery, port: u16, open: bool, path: &str) -> Result<(), Failure> {
    server::require_page()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = server::Server::bind(gallery, port).await?;
        let address = format!("http://{}/{path}", server.address());
        print_line(&format!("Prall is at {address}"))?;
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
