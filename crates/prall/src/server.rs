//! The server behind the page: HTTP for files and lists, WebSocket for running simulations.
//!
//! Each session has a thread of its own that steps the simulation in real time; connections only pass messages to it
//! and take the newest frame from it, so that no client can hold it up. `docs/protocol.md` is the contract.

mod frame_queue;
mod gallery;
mod guard;
mod message;
mod pacing;
mod page;
mod session;
mod sessions;
mod socket;

pub use gallery::{Entry, Gallery};
pub use page::{NoPage, require_page};

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use axum::{Json, Router, middleware};
use sessions::Sessions;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use thiserror::Error;
use tokio::net::TcpListener;

pub use crate::moment::PROTOCOL;

/// Why the server could not start or go on.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The port is taken.
    #[error(
        "port {0} is in use; end the other program, or choose a port with --port N (0 takes any free one)"
    )]
    PortInUse(u16),
    /// Anything else that the system refused.
    #[error("cannot listen on port {0}: {1}")]
    Listen(u16, std::io::Error),
    /// The system stopped it.
    #[error("the server stopped: {0}")]
    Stopped(#[from] std::io::Error),
}

/// What every request can reach.
struct Shared {
    sessions: Arc<Sessions>,
    address: SocketAddr,
}

/// A server that has its port and is ready to run.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

impl Server {
    /// Takes a port of the loopback interface.
    pub async fn bind(gallery: Gallery, port: u16) -> Result<Server, ServerError> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| match error.kind() {
                std::io::ErrorKind::AddrInUse => ServerError::PortInUse(port),
                _ => ServerError::Listen(port, error),
            })?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { sessions: Sessions::new(gallery), address });
        Ok(Server { listener, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.shared.address
    }

    /// Serves until `end` is there.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), ServerError> {
        let shared = Arc::clone(&self.shared);
        let router = router(shared);
        // Frames are small and late ones are worthless: do not wait to fill packets.
        let listener = self.listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        tokio::select! {
            result = async { axum::serve(listener, router).await } => result?,
            () = end => {}
        }
        Ok(())
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/scenes", get(scenes))
        .route("/api/sessions/{session}/shapes/{index}", get(shape))
        .route("/api/sessions/{session}/lines/{index}", get(lines))
        .route("/ws", get(socket::upgrade))
        .fallback(page::file)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard::same_site))
        .with_state(shared)
}

async fn scenes(State(shared): State<Arc<Shared>>) -> Json<serde_json::Value> {
    Json(serde_json::json!({
        "protocol": PROTOCOL,
        "version": env!("CARGO_PKG_VERSION"),
        "scenes": shared.sessions.gallery().entries(),
    }))
}

async fn shape(State(shared): State<Arc<Shared>>, Path((session, index)): Path<(String, usize)>) -> Response {
    binary(shared.sessions.assets(&session).and_then(|assets| message::encode_shape(&assets, index)))
}

async fn lines(State(shared): State<Arc<Shared>>, Path((session, index)): Path<(String, usize)>) -> Response {
    binary(shared.sessions.assets(&session).and_then(|assets| message::encode_lines(&assets, index)))
}

fn binary(bytes: Option<Vec<u8>>) -> Response {
    match bytes {
        Some(bytes) => ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "No running session has that geometry.").into_response(),
    }
}
