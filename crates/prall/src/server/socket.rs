//! One WebSocket connection.

use super::Shared;
use super::frame_queue::FrameQueue;
use super::message::{Numbered, Reply, Request};
use super::rate::Rate;
use super::session::Command;
use super::sessions::Connection;
use super::window::Window;
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::SinkExt;
use serde::Deserialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Longest message that a client may send, in bytes.
const LONGEST: usize = 64 * 1024;

#[derive(Deserialize)]
pub(super) struct Wanted {
    scene: Option<String>,
    recording: Option<String>,
    session: Option<String>,
    window: Option<usize>,
}

/// Counts a connection for as long as it lives.
struct Counted(Arc<Shared>);

impl Counted {
    fn new(shared: &Arc<Shared>) -> Option<Counted> {
        let before = shared.connections.fetch_add(1, Ordering::Relaxed);
        let counted = Counted(Arc::clone(shared));
        (before < shared.pages).then_some(counted)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) async fn upgrade(
    State(shared): State<Arc<Shared>>,
    Query(wanted): Query<Wanted>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(counted) = Counted::new(&shared) else {
        let sentence = format!("{} pages are open; close some of them first.", shared.pages);
        return (StatusCode::SERVICE_UNAVAILABLE, sentence).into_response();
    };
    upgrade.max_message_size(LONGEST).max_frame_size(LONGEST).on_upgrade(move |socket| async move {
        let _counted = counted;
        let sessions = &shared.sessions;
        let source = sessions.source(wanted.scene.as_deref(), wanted.recording.as_deref());
        let joined = Window::new(wanted.window).and_then(|window| {
            let connection = sessions.join(source?, wanted.session.as_deref())?;
            Ok((connection, window))
        });
        match joined {
            Ok((connection, window)) => converse(socket, connection, window, shared.limits.silence).await,
            Err(sentence) => refuse(socket, sentence).await,
        }
    })
}

async fn refuse(mut socket: WebSocket, sentence: String) {
    let error = Reply::Error { message: sentence.clone() }.to_text();
    let _ = socket.send(Message::text(error)).await;
    close(socket, close_code::POLICY, &sentence).await;
}

/// Says why and closes; the other side may be gone already.
async fn close(mut socket: WebSocket, code: u16, sentence: &str) {
    // A close frame carries at most 123 bytes of reason.
    let mut end = sentence.len().min(120);
    while !sentence.is_char_boundary(end) {
        end -= 1;
    }
    let frame = CloseFrame { code, reason: sentence[..end].into() };
    let _ = socket.send(Message::Close(Some(frame))).await;
    let _ = socket.close().await;
}

/// Passes messages on both ways until one side ends it.
async fn converse(mut socket: WebSocket, mut connection: Connection, mut window: Window, silence: Duration) {
    let client = connection.client;
    let mut queue = FrameQueue::default();
    // The greeting comes first: a frame without it would say nothing, and a paused session sends no other.
    let mut greeted = false;
    let mut reported = 0;
    let mut rate = Rate::new(Instant::now());
    // A peer that is gone says nothing, not even that: it is asked for a sign of life.
    let mut heard = Instant::now();
    let mut beat = tokio::time::interval_at(tokio::time::Instant::now() + silence / 3, silence / 3);
    let (code, sentence) = loop {
        tokio::select! {
            biased;
            message = async { let message = socket.recv().await; heard = Instant::now(); message } => match message {
                None => break (close_code::NORMAL, String::new()),
                Some(Err(error)) => {
                    let text = error.to_string();
                    let long = text.to_lowercase().contains("too long") || text.to_lowercase().contains("capacity");
                    if long {
                        break (close_code::SIZE, format!("a message may have {LONGEST} bytes at most"));
                    }
                    break (close_code::PROTOCOL, text);
                }
                Some(Ok(_)) if !rate.take(Instant::now()) => {
                    break (close_code::POLICY, "too many messages; a connection may send 240 a second".to_owned());
                }
                Some(Ok(Message::Text(text))) => match Numbered::parse(&text) {
                    Ok(Numbered { request: Request::Taken { frame }, .. }) => window.taken(frame),
                    Ok(message) => if !connection.say(message) {
                        break (close_code::AGAIN, "too many messages at once, or the session has ended".to_owned());
                    },
                    Err(sentence) => break (close_code::POLICY, sentence),
                },
                Some(Ok(Message::Binary(_))) => {
                    break (close_code::POLICY, "binary messages are for the server to send".to_owned());
                }
                Some(Ok(Message::Close(_))) => break (close_code::NORMAL, String::new()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            },
            _ = beat.tick() => {
                if heard.elapsed() > silence {
                    break (close_code::AWAY, format!("nothing was heard for {} s", silence.as_secs()));
                }
                if socket.send(Message::Ping(Bytes::new())).await.is_err() {
                    break (close_code::NORMAL, String::new());
                }
            }
            text = connection.texts.recv() => match text {
                Some(text) => {
                    greeted = true;
                    if socket.send(Message::text(text)).await.is_err() {
                        break (close_code::NORMAL, String::new());
                    }
                },
                None => break (close_code::AGAIN, "the session has ended, or this page was too slow".to_owned()),
            },
            changed = connection.frames.changed(), if greeted && window.is_open() => {
                if changed.is_err() {
                    // What it said at last, such as why it could not begin.
                    while let Some(text) = connection.texts.recv().await {
                        if socket.send(Message::text(text)).await.is_err() {
                            break;
                        }
                    }
                    break (close_code::ERROR, "the simulation has stopped; its last words are in the terminal".to_owned());
                }
                let (reports, frames) = {
                    let newest = connection.frames.borrow_and_update();
                    window.sent(newest.number());
                    (Arc::clone(&newest.reports), queue.frames(&newest, client))
                };
                let mut failed = false;
                if reports.number != reported {
                    reported = reports.number;
                    for text in &reports.texts {
                        failed = failed || socket.send(Message::text(text.as_str())).await.is_err();
                    }
                }
                for frame in frames {
                    failed = failed || socket.send(Message::binary(frame)).await.is_err();
                }
                if failed {
                    break (close_code::NORMAL, String::new());
                }
            }
        }
    };
    connection.tell(Command::Leave { client });
    close(socket, code, &sentence).await;
}
