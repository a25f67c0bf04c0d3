//! Who holds connections, and for how long one may hold them without doing anything.
//!
//! A connection costs an open file before anybody knows who asks. So each address has a bound, and all together leave
//! half of the files that the system allows; heads of requests and writes have time limits.

use super::options::TimeLimits;
use axum_server::accept::Accept;
use std::collections::HashMap;
use std::future::{Ready, ready};
use std::io;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// Most connections of all peers together, where the system allows that many open files.
const MOST: usize = 1024;

/// Open files that every system allows.
const FEW_FILES: usize = 256;

const REFUSAL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: 66\r\n\r\nToo many connections from your address; close some of its pages.\r\n";

/// Open connections by address.
pub(super) struct Peers {
    open: Mutex<HashMap<IpAddr, usize>>,
    per_peer: usize,
    total: usize,
}

impl Peers {
    pub(super) fn new(per_peer: usize) -> Arc<Peers> {
        Peers::with_files(per_peer, open_files())
    }

    fn with_files(per_peer: usize, files: usize) -> Arc<Peers> {
        let per_peer = per_peer.min(files / 4).max(1);
        Arc::new(Peers { open: Mutex::default(), per_peer, total: MOST.min(files / 2).max(1) })
    }

    /// Counts a connection for as long as it is held; `None` if its address, or all together, have too many.
    fn admit(self: &Arc<Peers>, address: IpAddr) -> Option<Admission> {
        let address = network(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let total: usize = open.values().sum();
        let own = open.get(&address).copied().unwrap_or(0);
        if own >= self.per_peer || total >= self.total {
            return None;
        }
        open.insert(address, own + 1);
        Some(Admission { peers: Arc::clone(self), address })
    }
}

/// A household of IPv6 has 2^64 addresses: they count as one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into()
        }
        address => address,
    }
}

/// How many files this process may have open.
fn open_files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    match line.and_then(|line| line.split_whitespace().next()) {
        Some("unlimited") => usize::MAX,
        Some(number) => number.parse().unwrap_or(FEW_FILES),
        None => FEW_FILES,
    }
}

struct Admission {
    peers: Arc<Peers>,
    address: IpAddr,
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut open = self.peers.open.lock().unwrap_or_else(PoisonError::into_inner);
        let left = open.get(&self.address).map_or(0, |count| count - 1);
        if left == 0 {
            open.remove(&self.address);
        } else {
            open.insert(self.address, left);
        }
    }
}

/// Lets connections in, within the bounds.
#[derive(Clone)]
pub(super) struct Admit {
    pub(super) peers: Arc<Peers>,
    pub(super) limits: TimeLimits,
}

impl<S> Accept<TcpStream, S> for Admit {
    type Stream = Admitted;
    type Service = S;
    type Future = Ready<io::Result<(Admitted, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        ready(self.admit(stream).map(|stream| (stream, service)))
    }
}

impl Admit {
    fn admit(&self, stream: TcpStream) -> io::Result<Admitted> {
        let Some(admission) = self.peers.admit(stream.peer_addr()?.ip()) else {
            // Nobody waits for this to arrive.
            let _ = stream.try_write(REFUSAL);
            return Err(io::ErrorKind::ConnectionRefused.into());
        };
        // Frames are small and late ones are worthless: do not wait to fill packets.
        stream.set_nodelay(true)?;
        Ok(Admitted { stream, patience: self.limits.stalled_write, stalled: None, _admission: admission })
    }
}

/// A connection whose peer must take what is sent to it within a time.
pub(super) struct Admitted {
    stream: TcpStream,
    patience: Duration,
    /// Runs while the peer takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    _admission: Admission,
}

impl Admitted {
    /// Turns a write that waits for too long into an error.
    fn watch<T>(&mut self, context: &mut Context<'_>, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.stalled = None;
            return result;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        stalled.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Admitted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Admitted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watch(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Bytes that the server reads before it knows that it is spoken to in HTTP/1.1, which its time limit of heads begins with.
const OPENING: usize = 24;

/// Lets connections in as another acceptor does, and gives them a time for their first bytes.
#[derive(Clone)]
pub(super) struct Prompt<A> {
    pub(super) acceptor: A,
    pub(super) patience: Duration,
}

impl<A, S> Accept<TcpStream, S> for Prompt<A>
where
    A: Accept<TcpStream, S>,
    A::Future: Send + 'static,
{
    type Stream = Opened<A::Stream>;
    type Service = A::Service;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, Self::Service)>> + Send>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let (accepted, patience) = (self.acceptor.accept(stream, service), self.patience);
        Box::pin(async move {
            let (stream, service) = accepted.await?;
            let waiting = Some((OPENING, Box::pin(tokio::time::sleep(patience))));
            Ok((Opened { stream, waiting }, service))
        })
    }
}

/// A connection whose first bytes must come within a time.
pub(super) struct Opened<S> {
    stream: S,
    /// How many bytes are missing, and until when they are waited for.
    waiting: Option<(usize, Pin<Box<Sleep>>)>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Opened<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        let Some((missing, until)) = &mut self.waiting else { return result };
        *missing = missing.saturating_sub(buffer.filled().len() - before);
        if *missing == 0 {
            self.waiting = None;
            return result;
        }
        match result {
            Poll::Pending => until.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into())),
            ready => ready,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Opened<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_never_takes_the_places_of_another() {
        let peers = Peers::with_files(100, 64);
        let (stranger, friend) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let held: Vec<_> = std::iter::from_fn(|| peers.admit(stranger)).take(1000).collect();
        assert_eq!(held.len(), 16, "a quarter of the open files");
        assert!(peers.admit(friend).is_some());
        drop(held);
        assert!(peers.admit(stranger).is_some());
        assert!(peers.open.lock().unwrap().is_empty(), "who is gone is forgotten");
    }

    #[test]
    fn all_together_leave_half_of_the_open_files() {
        let peers = Peers::with_files(100, 64);
        let addresses = (0..200).map(|last| IpAddr::from([192, 0, 2, last]));
        let held: Vec<_> = addresses.filter_map(|address| peers.admit(address)).collect();
        assert_eq!(held.len(), 32);
    }

    #[test]
    fn addresses_of_one_network_of_ipv6_count_as_one() {
        let a: IpAddr = "2001:db8::1:2".parse().unwrap();
        let b: IpAddr = "2001:db8::3:4".parse().unwrap();
        let c: IpAddr = "2001:db8:0:1::1".parse().unwrap();
        assert_eq!(network(a), network(b));
        assert_ne!(network(a), network(c));
        assert_eq!(network("::ffff:127.0.0.1".parse().unwrap()), IpAddr::from([127, 0, 0, 1]));
    }

    #[test]
    fn the_refusal_is_as_long_as_it_says() {
        let text = String::from_utf8(REFUSAL.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{}", body.len());
    }
}
