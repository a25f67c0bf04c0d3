//! A client that speaks docs/protocol.md.

use futures_util::{SinkExt, StreamExt};
use prall::moment::{Moment, is_key};
use prall::recording::Store;
use prall::server::{Gallery, Options, Server};
use serde_json::Value;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// Far longer than anything here takes, so that a hang fails instead of blocking the test run.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) async fn start() -> SocketAddr {
    start_with(Gallery::standard(), Options { recordings: Store::new("no-recordings"), ..Options::default() })
        .await
}

pub(crate) async fn start_with(gallery: Gallery, options: Options) -> SocketAddr {
    let server = Server::bind(gallery, options).await.unwrap();
    let address = server.address();
    tokio::spawn(server.run(std::future::pending()));
    address
}

pub(crate) struct Page {
    pub(crate) socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// The moment that each track is at, by applying every frame.
    pub(crate) tracks: HashMap<u32, Moment>,
}

/// A frame as it came, and the moment that it leads to.
pub(crate) struct Frame {
    pub(crate) bytes: Vec<u8>,
    pub(crate) moment: Moment,
}

impl Frame {
    pub(crate) fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
    }
    pub(crate) fn track(&self) -> u32 {
        self.u32(24)
    }
    /// How many poses the frame brought.
    pub(crate) fn sent(&self) -> u32 {
        self.u32(36)
    }
    /// The words of the marks.
    pub(crate) fn marks(&self) -> Vec<u32> {
        let sent = self.sent() as usize;
        let indices = if is_key(&self.bytes) { 0 } else { 4 * sent };
        let first = 56 + indices + 28 * sent;
        (0..self.u32(40) as usize).map(|i| self.u32(first + 4 * i)).collect()
    }
    pub(crate) fn number(&self) -> u32 {
        self.u32(4)
    }
    pub(crate) fn time(&self) -> f64 {
        self.moment.time
    }
    pub(crate) fn acknowledged(&self) -> u32 {
        self.u32(16)
    }
    pub(crate) fn running(&self) -> bool {
        self.moment.flags.running
    }
    pub(crate) fn held(&self) -> bool {
        self.moment.flags.held
    }
    pub(crate) fn position(&self) -> [f32; 3] {
        [0, 1, 2].map(|axis| self.moment.poses[0][axis])
    }
    pub(crate) fn overlay_kinds(&self) -> Vec<u32> {
        let sent = self.u32(36) as usize;
        let indices = if is_key(&self.bytes) { 0 } else { 4 * sent };
        let first = 56 + indices + 28 * sent + 4 * self.u32(40) as usize;
        (0..self.u32(44) as usize).map(|i| self.u32(first + 32 * i)).collect()
    }
}

impl Page {
    pub(crate) async fn open(address: SocketAddr, query: &str) -> Page {
        let (socket, _) =
            tokio_tungstenite::connect_async(format!("ws://{address}/ws?{query}")).await.unwrap();
        Page { socket, tracks: HashMap::new() }
    }

    pub(crate) async fn next(&mut self) -> Message {
        let next = tokio::time::timeout(PATIENCE, self.socket.next()).await;
        next.expect("the server went silent").unwrap().unwrap()
    }

    pub(crate) async fn say(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).await.unwrap();
    }

    pub(crate) fn apply(&mut self, bytes: &[u8]) -> Moment {
        let track = u32::from_le_bytes(bytes[24..28].try_into().unwrap());
        let moment = self.tracks.entry(track).or_default();
        moment.apply(bytes).expect("every frame fits the one before");
        moment.clone()
    }

    /// The next text message of this type.
    pub(crate) async fn text(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next().await;
            if let Message::Binary(bytes) = &message {
                self.apply(bytes);
            }
            if let Message::Text(text) = message {
                let value: Value = serde_json::from_str(&text).unwrap();
                if value["type"] == kind {
                    return value;
                }
            }
        }
    }

    /// The next frame that fulfils a condition.
    pub(crate) async fn frame(&mut self, fits: impl Fn(&Frame) -> bool) -> Frame {
        loop {
            if let Message::Binary(bytes) = self.next().await {
                let moment = self.apply(&bytes);
                let frame = Frame { bytes: bytes.to_vec(), moment };
                if fits(&frame) {
                    return frame;
                }
            }
        }
    }

    /// The code and sentence with which the server ends the connection.
    pub(crate) async fn end(&mut self) -> (CloseCode, String) {
        loop {
            if let Message::Close(frame) = self.next().await {
                let frame = frame.unwrap();
                return (frame.code, frame.reason.to_string());
            }
        }
    }
}

pub(crate) async fn http(address: SocketAddr, request: &str) -> String {
    String::from_utf8_lossy(&answer(address, request).await).into_owned()
}

/// The body of an answer, as bytes.
pub(crate) async fn http_bytes(address: SocketAddr, request: &str) -> Vec<u8> {
    let answer = answer(address, request).await;
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    answer[head + 4..].to_vec()
}

async fn answer(address: SocketAddr, request: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.replace('\n', "\r\n").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    answer
}
