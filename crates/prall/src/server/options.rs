//! [`Options`]: where the server listens and where recordings are.

use crate::recording::{Store, default_directory};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Where to listen and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address of the interface; beyond the loopback interface the server wants a token.
    pub host: IpAddr,
    /// Port; 0 takes any free one.
    pub port: u16,
    /// Encrypt, with a certificate that is made at the start.
    pub https: bool,
    /// Where recordings are kept.
    pub recordings: Store,
    /// Where packets of a tracked hand are awaited.
    pub tracker: Option<SocketAddr>,
    /// Where the contact forces on the part in hand are sent.
    pub wrench: Option<SocketAddr>,
}

impl Default for Options {
    /// Any free port of the loopback interface, and the person's own recordings.
    fn default() -> Options {
        Options {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            https: false,
            recordings: Store::new(default_directory()),
            tracker: None,
            wrench: None,
        }
    }
}
