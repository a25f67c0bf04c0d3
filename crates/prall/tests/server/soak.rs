//! A server under load for a while: slow clients, clients that are killed, clients that say nothing, and the server itself
//! killed and started again.
//!
//! `PRALL_SERVER_SOAK=60 cargo test --release -p prall --test server soak_of_a_server -- --ignored --nocapture` takes a minute;
//! without the variable it takes ten.

use crate::folder::Folder;
use crate::page::{PATIENCE, Page};
use futures_util::{SinkExt, StreamExt};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;

/// How much there is at a time.
#[derive(Clone, Copy)]
struct Load {
    /// Sessions, each with a watcher.
    sessions: usize,
    /// WebSockets that read slowly.
    slow_sockets: usize,
    /// Connections that never end their first request.
    half_open: usize,
}

/// What a long run has: 500 slow clients.
const LONG: Load = Load { sessions: 50, slow_sockets: 300, half_open: 200 };
/// What every test run has.
const SHORT: Load = Load { sessions: 16, slow_sockets: 32, half_open: 28 };
/// Addresses that slow clients come from: each has its own bound.
const ADDRESSES: usize = 10;

/// A server in a process of its own.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(folder: &Folder, port: u16, load: Load) -> Process {
        let (port, recordings) = (port.to_string(), folder.0.to_string_lossy().into_owned());
        let sessions = load.sessions.to_string();
        // Room for watchers, slow clients and those that come and go.
        let pages = (2 * load.sessions + load.slow_sockets).to_string();
        let mut child = Command::new(env!("CARGO_BIN_EXE_prall"))
            .args(["serve", "--port", &port, "--recordings", &recordings])
            .args(["--sessions", &sessions, "--pages", &pages])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
        let address = address.parse().unwrap();
        Process { child, address }
    }

    /// Memory that the process holds, in bytes.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        1024 * line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection from one of the addresses of this machine.
async fn connect(from: usize, to: SocketAddr) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().ok()?;
    socket.bind((Ipv4Addr::new(127, 0, 1, 1 + (from % ADDRESSES) as u8), 0).into()).ok()?;
    tokio::time::timeout(PATIENCE, socket.connect(to)).await.ok()?.ok()
}

/// Sends a head of a request byte by byte and never ends it; begins again when the server has had enough.
async fn dribble(number: usize, address: SocketAddr, end: Arc<AtomicBool>) {
    while !end.load(Ordering::Relaxed) {
        let Some(mut stream) = connect(number, address).await else {
            tokio::time::sleep(Duration::from_millis(200)).await;
            continue;
        };
        for byte in
            b"GET /api/scenes HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ".iter().chain(std::iter::repeat(&b'a'))
        {
            tokio::time::sleep(Duration::from_millis(500)).await;
            if end.load(Ordering::Relaxed) || stream.write_all(&[*byte]).await.is_err() {
                break;
            }
        }
    }
}

/// Watches a session and takes one message a second.
async fn sip(number: usize, sessions: usize, address: SocketAddr, end: Arc<AtomicBool>) {
    while !end.load(Ordering::Relaxed) {
        let room = number % sessions;
        if let Some(stream) = connect(number, address).await {
            let address = format!("ws://{address}/ws?scene=bouncing-ball&session=room-{room}");
            if let Ok((mut socket, _)) = tokio_tungstenite::client_async(address, stream).await {
                while let Some(Ok(_)) = socket.next().await {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    if end.load(Ordering::Relaxed) {
                        break;
                    }
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Comes, sends as much as is allowed at once, and is gone without a word.
async fn come_and_go(sessions: usize, address: SocketAddr, visits: Arc<AtomicUsize>, end: Arc<AtomicBool>) {
    while !end.load(Ordering::Relaxed) {
        let visit = visits.fetch_add(1, Ordering::Relaxed);
        if let Some(stream) = connect(visit, address).await {
            let query = format!("ws://{address}/ws?scene=bouncing-ball&session=room-{}", visit % sessions);
            if let Ok((mut socket, _)) = tokio_tungstenite::client_async(query, stream).await {
                for number in 0..300 {
                    // Speed 1 at the end: watchers measure time.
                    let speed = if number % 2 == 0 { 0.999 } else { 1.0 };
                    let text = format!("{{\"type\": \"speed\", \"value\": {speed}}}");
                    if socket.feed(Message::text(text)).await.is_err() {
                        break;
                    }
                }
                let _ = socket.flush().await;
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// What a watcher saw: simulated seconds for each second, and how long it waited for a frame at most.
struct Seen {
    rate: f64,
    longest_wait: Duration,
}

async fn watch(room: usize, address: SocketAddr, duration: Duration) -> Seen {
    let mut page = Page::open(address, &format!("scene=bouncing-ball&session=room-{room}&window=8")).await;
    let first = page.frame(|_| true).await.time();
    let (begin, mut last, mut now) = (Instant::now(), Instant::now(), first);
    let mut longest_wait = Duration::ZERO;
    while begin.elapsed() < duration {
        let frame = page.frame(|_| true).await;
        now = frame.time();
        page.say(serde_json::json!({"type": "taken", "frame": frame.number()})).await;
        longest_wait = longest_wait.max(last.elapsed());
        last = Instant::now();
    }
    Seen { rate: (now - first) / begin.elapsed().as_secs_f64(), longest_wait }
}

/// What presses on a server until it is dropped, also while there is no server.
struct Pressure {
    end: Arc<AtomicBool>,
    visits: Arc<AtomicUsize>,
    _clients: tokio::task::JoinSet<()>,
}

impl Pressure {
    fn new(load: Load, address: SocketAddr) -> Pressure {
        let (end, visits) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut clients = tokio::task::JoinSet::new();
        for number in 0..load.slow_sockets {
            clients.spawn(sip(number, load.sessions, address, Arc::clone(&end)));
        }
        for number in 0..load.half_open {
            clients.spawn(dribble(number, address, Arc::clone(&end)));
        }
        clients.spawn(come_and_go(load.sessions, address, Arc::clone(&visits), Arc::clone(&end)));
        Pressure { end, visits, _clients: clients }
    }
}

impl Drop for Pressure {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
    }
}

/// One life of the server under pressure; returns its memory when all that is needed is there, and at the end.
async fn life(
    server: &Process,
    duration: Duration,
    load: Load,
    pressure: &Pressure,
    least_rate: f64,
) -> (u64, u64) {
    let watchers: Vec<_> =
        (0..load.sessions).map(|room| tokio::spawn(watch(room, server.address, duration))).collect();
    // A session's history is full after a minute; from then on nothing more is taken.
    tokio::time::sleep((duration / 3).max(HISTORY.min(duration / 2))).await;
    let before = server.memory();
    let mut slowest: Option<Seen> = None;
    for (room, watcher) in watchers.into_iter().enumerate() {
        let seen =
            watcher.await.unwrap_or_else(|error| panic!("the watcher of room {room} was cut off: {error}"));
        if slowest.as_ref().is_none_or(|slowest| seen.rate < slowest.rate) {
            slowest = Some(seen);
        }
    }
    let after = server.memory();
    let Seen { rate, longest_wait } = slowest.unwrap();
    println!(
        "{} s, {} sessions, {} slow clients of which {} WebSockets, {} visits: slowest watcher at {rate:.4} of real time, \
         longest wait {longest_wait:?}; memory {:.1} then {:.1} MB",
        duration.as_secs(),
        load.sessions,
        load.slow_sockets + load.half_open,
        load.slow_sockets,
        pressure.visits.load(Ordering::Relaxed),
        before as f64 / 1e6,
        after as f64 / 1e6
    );
    assert!(rate >= least_rate, "{rate} of real time");
    (before, after)
}

/// How long sessions gather what they can go back to, and a little more.
const HISTORY: Duration = Duration::from_secs(65);

async fn lives(name: &str, count: u32, each: Duration, load: Load, least_rate: f64, growth: u64) {
    if prall::server::require_page().is_err() {
        println!("not run: this binary was built without its page");
        return;
    }
    let folder = Folder::new(name);
    let mut server = Process::start(&folder, 0, load);
    let port = server.address.port();
    let pressure = Pressure::new(load, server.address);
    for number in 0..count {
        if number > 0 {
            // Killed without warning, with all its clients; the next one takes the same port, and they come again.
            drop(server);
            server = Process::start(&folder, port, load);
        }
        let (before, after) = life(&server, each, load, &pressure, least_rate).await;
        assert!(after < before + growth, "{before} bytes grew to {after}");
    }
}

/// A short form, for every test run: a blocked server would leave the watchers without frames for 20 s, which fails. Its
/// sessions are still gathering what they can go back to, some megabytes a second.
#[tokio::test]
async fn a_server_under_load_serves_its_watchers_and_is_there_again_after_it_was_killed() {
    lives("short-soak", 2, Duration::from_secs(3), SHORT, 0.05, 256 << 20).await;
}

/// Most that memory may grow from the first third to the end of a life, in bytes: allocators keep pages that they have been given back.
const GROWTH: u64 = 16 << 20;

#[tokio::test]
#[ignore = "takes ten minutes, or PRALL_SERVER_SOAK seconds"]
async fn soak_of_a_server() {
    let seconds =
        std::env::var("PRALL_SERVER_SOAK").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(600);
    lives("soak", 3, Duration::from_secs(seconds.div_ceil(3)), LONG, 0.95, GROWTH).await;
}
