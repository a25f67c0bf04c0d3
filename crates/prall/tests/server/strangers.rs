//! Who may ask, and what happens to those who send nonsense.

use crate::mutation::{Random, inputs, mutated};
use crate::page::{PATIENCE, Page, http, start, start_with};
use futures_util::SinkExt;
use prall::recording::Store;
use prall::server::{Gallery, Options, Server, TimeLimits};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

/// A server beyond the loopback interface: its port on this machine, and its token.
async fn open_server() -> (SocketAddr, String) {
    let options = Options { host: Ipv4Addr::UNSPECIFIED.into(), ..Options::default() };
    let server = Server::bind(Gallery::standard(), options).await.unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.address().port()));
    let token = server.token().unwrap().to_owned();
    assert!(server.page_address("").ends_with(&format!("/?token={token}")));
    tokio::spawn(server.run(std::future::pending()));
    (address, token)
}

async fn get(address: SocketAddr, path: &str, header: &str) -> String {
    http(address, &format!("GET {path} HTTP/1.1\nHost: {address}\n{header}Connection: close\n\n")).await
}

#[tokio::test]
async fn beyond_this_machine_the_token_opens_everything_and_nothing_else_does() {
    let (address, token) = open_server().await;
    for path in ["/", "/api/scenes", "/api/recordings", "/ws?scene=bouncing-ball", "/no-such-file"] {
        let answer = get(address, path, "").await;
        assert!(answer.starts_with("HTTP/1.1 401") && answer.contains("wants its token"), "{path}: {answer}");
    }
    let wrong = "0".repeat(token.len());
    for (path, header) in [
        (format!("/?token={wrong}"), String::new()),
        ("/api/scenes".to_owned(), format!("Authorization: Bearer {wrong}\n")),
        ("/api/scenes".to_owned(), format!("Cookie: prall-{}={wrong}\n", address.port())),
    ] {
        let answer = get(address, &path, &header).await;
        assert!(answer.starts_with("HTTP/1.1 401") && answer.contains("not this server's token"), "{answer}");
    }
    let admitted = get(address, &format!("/?token={token}"), "").await;
    assert!(admitted.starts_with("HTTP/1.1 303"), "{admitted}");
    let cookie = admitted.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    let pair = cookie.split(';').next().unwrap();
    assert!(get(address, "/api/scenes", &format!("Cookie: {pair}\n")).await.starts_with("HTTP/1.1 200"));
    let bearer = format!("Authorization: Bearer {token}\n");
    assert!(get(address, "/api/scenes", &bearer).await.starts_with("HTTP/1.1 200"));
    let mut page = Page::open(address, &format!("scene=bouncing-ball&token={token}")).await;
    page.text("hello").await;
    let foreign = format!("{bearer}Origin: http://evil.example\n");
    assert!(get(address, "/api/scenes", &foreign).await.starts_with("HTTP/1.1 403"));
}

/// Accepts any certificate: what a person does who clicks the warning away.
#[derive(Debug)]
struct Trusting;

impl ServerCertVerifier for Trusting {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }
    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        rustls::crypto::ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}

#[tokio::test]
async fn https_serves_the_same_over_an_encrypted_connection() {
    let address = start_with(Gallery::standard(), Options { https: true, ..Options::default() }).await;
    let answer = tokio::task::spawn_blocking(move || {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Trusting))
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = StreamOwned::new(connection, std::net::TcpStream::connect(address).unwrap());
        let request = format!("GET /api/scenes HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // The server closes without a word of farewell: what came until then counts.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    });
    let answer = tokio::time::timeout(PATIENCE, answer).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("bouncing-ball"), "{answer}");
}

#[tokio::test]
async fn who_sends_too_many_messages_is_closed_and_nobody_else() {
    let address = start().await;
    let mut bystander = Page::open(address, "scene=bouncing-ball").await;
    let mut flood = Page::open(address, "scene=bouncing-ball").await;
    for _ in 0..2000 {
        if flood.socket.feed(Message::text("{\"type\": \"release\"}")).await.is_err() {
            break;
        }
    }
    let _ = flood.socket.flush().await;
    let (code, sentence) = flood.end().await;
    assert_eq!(code, CloseCode::Policy, "{sentence}");
    let now = bystander.frame(|_| true).await.time();
    bystander.frame(|frame| frame.time() > now + 0.1).await;
}

/// A small generator, so that every run throws the same.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }
    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let length = self.next() as usize % most + 1;
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// Random bytes on the bare port, random frames and messages on sockets, messages of a megabyte, connections dropped in
/// the middle: the session goes on for whoever watches, and its simulation is not touched.
#[tokio::test]
async fn random_frames_thrown_at_the_server_disturb_nobody() {
    let address = start().await;
    let mut bystander = Page::open(address, "scene=bouncing-ball&session=lab").await;
    let hello = bystander.text("hello").await;
    let mut noise = Noise(7);
    for round in 0..60 {
        if round % 3 == 0 {
            let mut bare = TcpStream::connect(address).await.unwrap();
            let _ = bare.write_all(&noise.bytes(4000)).await;
            continue;
        }
        let mut thrower = Page::open(address, "scene=bouncing-ball&session=lab").await;
        let message = match noise.next() % 5 {
            0 => Message::binary(noise.bytes(70_000)),
            1 => Message::text(String::from_utf8_lossy(&noise.bytes(5000)).into_owned()),
            2 => Message::text("a".repeat(1 << 20)),
            3 => Message::text(format!("{{\"type\": \"seek\", \"time\": 1e{}}}", noise.next() % 400)),
            _ => Message::text(format!("{{\"type\": \"grab\", \"track\": {}}}", noise.next())),
        };
        // Bytes that are no WebSocket frame at all, on a connection that was one.
        if round % 5 == 0
            && let tokio_tungstenite::MaybeTlsStream::Plain(stream) = thrower.socket.get_mut()
        {
            let _ = stream.write_all(&noise.bytes(3000)).await;
        }
        match thrower.socket.send(message).await {
            Ok(())
            | Err(Error::Io(_) | Error::ConnectionClosed | Error::AlreadyClosed | Error::Protocol(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
    let now = bystander.frame(|_| true).await.time();
    let later = bystander.frame(|frame| frame.time() > now + 0.3).await;
    assert!(later.running());
    let mut newcomer = Page::open(address, "scene=bouncing-ball&session=lab").await;
    let again = tokio::time::timeout(Duration::from_secs(10), newcomer.text("hello")).await.unwrap();
    assert_eq!(
        (&again["instance"], &again["state"]["values"]),
        (&hello["instance"], &hello["state"]["values"])
    );
}

/// No other site may frame the page, run code in it or learn its address, whatever is asked for.
#[tokio::test]
async fn every_answer_tells_browsers_what_they_may_not_do() {
    let address = crate::page::start().await;
    for path in ["/", "/api/scenes", "/api/recordings/none.mcap", "/nothing"] {
        let request = format!("GET {path} HTTP/1.1\nHost: {address}\nConnection: close\n\n");
        let answer = crate::page::http(address, &request).await.to_lowercase();
        for header in [
            "content-security-policy: default-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
        ] {
            assert!(answer.contains(header), "{path}: {header} is missing");
        }
    }
}

/// The address that is printed is one that is answered.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn another_loopback_address_is_answered_by_its_own_name() {
    let host = std::net::IpAddr::from([127, 0, 0, 2]);
    let options = prall::server::Options {
        host,
        recordings: prall::recording::Store::new("none"),
        ..Default::default()
    };
    let address = crate::page::start_with(prall::server::Gallery::default(), options).await;
    let ask = |host: String| format!("GET /api/scenes HTTP/1.1\nHost: {host}\nConnection: close\n\n");
    assert!(crate::page::http(address, &ask(address.to_string())).await.starts_with("HTTP/1.1 200"));
    let stranger = ask(format!("127.0.0.3:{}", address.port()));
    assert!(crate::page::http(address, &stranger).await.starts_with("HTTP/1.1 403"));
}

/// A server that waits for hardly anything.
async fn impatient() -> SocketAddr {
    let short = Duration::from_millis(300);
    let limits = TimeLimits { head: short, body: short, silence: short, stalled_write: short };
    start_with(Gallery::standard(), Options { limits, recordings: Store::new("none"), ..Options::default() })
        .await
}

/// Reads until the other side ends the connection.
async fn until_closed(stream: &mut TcpStream, who: &str) {
    let mut bytes = [0; 4096];
    let end = async { while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {} };
    let closed = tokio::time::timeout(PATIENCE, end).await;
    assert!(closed.is_ok(), "never closed: {who}, {}", String::from_utf8_lossy(&bytes));
}

/// Nobody holds a connection without saying anything: not before a request, not within it, not between two.
#[tokio::test]
async fn half_open_connections_are_closed() {
    let address = impatient().await;
    let head = format!("GET /api/recordings HTTP/1.1\r\nHost: {address}\r\n");
    let put =
        format!("PUT /api/scenes/x/picture HTTP/1.1\r\nHost: {address}\r\nContent-Length: 100000\r\n\r\nabc");
    for said in ["", "G", &head, &format!("{head}\r\n"), &put] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(said.as_bytes()).await.unwrap();
        until_closed(&mut stream, said).await;
    }
}

/// A WebSocket whose page is gone without a word is closed; one that answers is kept, though nothing happens in it.
#[tokio::test]
async fn a_silent_socket_is_closed_and_a_living_one_is_kept() {
    let address = impatient().await;
    let mut living = Page::open(address, "scene=bouncing-ball").await;
    living.say(serde_json::json!({"type": "pause"})).await;
    let request = format!(
        "GET /ws?scene=bouncing-ball HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    let mut silent = TcpStream::connect(address).await.unwrap();
    silent.write_all(request.as_bytes()).await.unwrap();
    let mut pings = 0;
    while pings < 9 {
        match living.next().await {
            Message::Ping(_) => pings += 1,
            Message::Binary(bytes) => drop(living.apply(&bytes)),
            _ => {}
        }
    }
    until_closed(&mut silent, "a silent socket").await;
    living.say(serde_json::json!({"type": "play"})).await;
    living.frame(crate::page::Frame::running).await;
}

/// Whoever opens many connections locks out nobody but himself.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn connections_of_one_address_are_bounded() {
    let options = Options { connections_per_peer: 8, recordings: Store::new("none"), ..Options::default() };
    let address = start_with(Gallery::default(), options).await;
    let get = format!("GET /api/recordings HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let ask = async |from: [u8; 4]| {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::from(from), 0).into()).unwrap();
        let mut stream = socket.connect(address).await.unwrap();
        // Who is refused may be so before he has asked.
        let _ = stream.write_all(get.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    let mut held = Vec::new();
    for _ in 0..20 {
        held.push(TcpStream::connect(address).await.unwrap());
    }
    assert!(!ask([127, 0, 0, 1]).await.starts_with("HTTP/1.1 200"), "the ninth of one address is refused");
    assert!(ask([127, 0, 0, 2]).await.starts_with("HTTP/1.1 200"), "another address has its own places");
    drop(held);
    let again = async { while !ask([127, 0, 0, 1]).await.starts_with("HTTP/1.1 200") {} };
    tokio::time::timeout(PATIENCE, again).await.expect("places that are free again are given away");
}

/// As many messages at once as a client may send, each of which tells everybody the state: who watches stays, and ends with
/// the last state.
#[tokio::test]
async fn a_burst_of_one_client_costs_no_other_his_connection() {
    let address = start().await;
    let mut bystander = Page::open(address, "scene=bouncing-ball").await;
    bystander.text("hello").await;
    let mut eager = Page::open(address, "scene=bouncing-ball").await;
    eager.text("hello").await;
    let last = 0.3 + 469.0 * 1e-3;
    for number in 0..470 {
        let speed = 0.3 + f64::from(number) * 1e-3;
        eager
            .socket
            .feed(Message::text(format!("{{\"type\": \"speed\", \"value\": {speed}}}")))
            .await
            .unwrap();
    }
    eager.socket.flush().await.unwrap();
    // Time in which nobody reads: all the states of the burst wait for the bystander.
    while eager.text("state").await["speed"] != last {}
    while bystander.text("state").await["speed"] != last {}
    let now = bystander.frame(|_| true).await.time();
    bystander.frame(|frame| frame.time() > now + 0.1).await;
}

/// Every documented request, changed at random and sent: it is carried out, answered with an error, or closes its own connection
/// with a sentence; the session goes on for whoever comes next.
#[tokio::test]
async fn soak_mutated_messages_close_their_own_connection_or_none() {
    const REQUESTS: [&str; 10] = [
        r#"{"type": "seek", "time": 1.5, "id": 3}"#,
        r#"{"type": "set", "parameter": "restitution", "value": 0.5}"#,
        r#"{"type": "grab", "origin": [0, 1.12, 3], "direction": [0, 0, -1]}"#,
        r#"{"type": "solver", "name": "moreau"}"#,
        r#"{"type": "snapshot", "name": "a"}"#,
        r#"{"type": "overlays", "show": ["contacts", "forces"]}"#,
        r#"{"type": "ghost", "recording": "a.mcap", "offset": 0.5}"#,
        r#"{"type": "budget", "ms": 5, "work": 1000}"#,
        r#"{"type": "speed", "value": 2}"#,
        r#"{"type": "throw", "body": 0, "velocity": [1, 2, 3]}"#,
    ];
    let address = start().await;
    let mut random = Random(51);
    let seeds: Vec<&[u8]> = REQUESTS.iter().map(|text| text.as_bytes()).collect();
    let mut closed = 0;
    let count = inputs(60).min(20_000);
    for _ in 0..count {
        let which = random.below(seeds.len());
        let changed = String::from_utf8_lossy(&mutated(&seeds, which, &mut random)).into_owned();
        let mut page = Page::open(address, "scene=bouncing-ball&session=lab").await;
        page.text("hello").await;
        page.socket.send(Message::text(changed.clone())).await.unwrap();
        // The largest number that a request can have: a frame that knows it comes after all that was sent before.
        let _ =
            page.socket.send(Message::text(format!("{{\"type\": \"release\", \"id\": {}}}", u32::MAX))).await;
        loop {
            match page.next().await {
                Message::Binary(bytes) if bytes[16..20] == u32::MAX.to_le_bytes() => break,
                Message::Close(frame) => {
                    let frame = frame.unwrap();
                    assert!(!frame.reason.is_empty(), "{changed}");
                    assert_eq!(frame.code, CloseCode::Policy, "{changed}: {}", frame.reason);
                    closed += 1;
                    break;
                }
                _ => {}
            }
        }
    }
    assert!(closed > 0 && closed < count, "{closed} of {count} were closed");
}
