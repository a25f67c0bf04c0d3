//! [`Options`]: where the server listens and where recordings are.

use super::force::ForceOptions;
use crate::recording::{Store, default_directory};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

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
    /// Most connections of one address, where the system allows four times as many open files.
    pub connections_per_peer: usize,
    /// Most simulations at a time: each has a thread and up to 64 MB of history. A newcomer beyond it ends the one that nobody has watched for longest.
    pub sessions: usize,
    /// Most pages, that is WebSockets, at a time; those beyond it are refused with a sentence.
    pub pages: usize,
    /// How long the server waits for its peers.
    pub limits: TimeLimits,
    /// Where packets of a tracked hand are awaited.
    pub tracker: Option<SocketAddr>,
    /// Where the contact forces on the part in hand are sent.
    pub wrench: Option<SocketAddr>,
    /// A device that presses the tracked hand; without a tracker there is none.
    pub force: Option<ForceOptions>,
}

/// How long the server waits for a peer before it closes the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// For the head of a request, from the connection or the last answer on.
    pub head: Duration,
    /// For the body of a request.
    pub body: Duration,
    /// For any sign of life of a WebSocket; it is asked for one three times in this time.
    pub silence: Duration,
    /// For a peer that takes nothing of what is sent to it.
    pub stalled_write: Duration,
}

impl Default for TimeLimits {
    fn default() -> TimeLimits {
        TimeLimits {
            head: Duration::from_secs(15),
            body: Duration::from_secs(30),
            silence: Duration::from_secs(60),
            stalled_write: Duration::from_secs(30),
        }
    }
}

impl Default for Options {
    /// Any free port of the loopback interface, and the person's own recordings.
    fn default() -> Options {
        Options {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            https: false,
            recordings: Store::new(default_directory()),
            connections_per_peer: 128,
            sessions: 16,
            pages: 64,
            limits: TimeLimits::default(),
            tracker: None,
            wrench: None,
            force: None,
        }
    }
}
