//! The server behind the page: HTTP for files and lists, WebSocket for running simulations.
//!
//! Each session has a thread of its own that steps the simulation in real time; connections only pass messages to it
//! and take the newest frame from it, so that no client can hold it up. `docs/protocol.md` is the contract.

mod bob;
mod devices;
mod force;
mod frame_queue;
mod gallery;
mod guard;
mod handled;
mod leads;
mod live;
mod message;
mod options;
mod outbox;
mod pacing;
mod page;
mod peers;
mod rate;
mod session;
mod sessions;
mod socket;
mod tls;
mod token;
mod track;
mod watched;
mod window;

pub use force::ForceOptions;
pub(crate) use gallery::Item;
pub use gallery::{Entry, Gallery};
pub use options::{Options, TimeLimits};
pub use page::{NoPage, require_page};
pub use session::rehearsal::Rehearsal;
pub use watched::WatchedFile;

use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router, middleware};
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use devices::HandDevices;
use guard::Guard;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use peers::{Admit, Peers, Prompt};
use serde_json::json;
use sessions::Sessions;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
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
    /// No hand can be tracked there, or no wrench or force sent.
    #[error(
        "the address {0} of a device cannot be used: {1}; choose another with --tracker, --wrench or --force"
    )]
    Device(SocketAddr, std::io::Error),
    /// No certificate could be made.
    #[error("no certificate for HTTPS could be made: {0}")]
    Certificate(String),
    /// The system stopped it.
    #[error("the server stopped: {0}")]
    Stopped(#[from] std::io::Error),
}

/// What every request can reach.
struct Shared {
    sessions: Arc<Sessions>,
    guard: Guard,
    /// Open WebSockets, and how many there may be.
    connections: AtomicUsize,
    pages: usize,
    limits: TimeLimits,
}

/// A server that has its port and is ready to run.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    certificate: Option<tls::Certificate>,
    admit: Admit,
    shared: Arc<Shared>,
}

impl Server {
    /// Takes a port. Beyond the loopback interface the server will want a token.
    pub async fn bind(gallery: Gallery, options: Options) -> Result<Server, ServerError> {
        let Options { host, port, https, recordings, connections_per_peer, .. } = options;
        let Options { sessions, pages, limits, tracker, wrench, force, .. } = options;
        let listener = TcpListener::bind((host, port)).await.map_err(|error| match error.kind() {
            std::io::ErrorKind::AddrInUse => ServerError::PortInUse(port),
            _ => ServerError::Listen(port, error),
        })?;
        let address = listener.local_addr()?;
        let certificate = match https {
            true => Some(tls::certificate(&names(host)).map_err(ServerError::Certificate)?),
            false => None,
        };
        let guard = Guard {
            host,
            port: address.port(),
            scheme: if https { "https" } else { "http" },
            token: (!host.is_loopback()).then(token::random),
        };
        let devices = HandDevices::open(tracker, wrench, force.as_ref())
            .map_err(|(address, error)| ServerError::Device(address, error))?;
        let sessions = Sessions::new(gallery, recordings, pool()?, devices, sessions);
        let shared = Arc::new(Shared { sessions, guard, connections: AtomicUsize::new(0), pages, limits });
        let admit = Admit { peers: Peers::new(connections_per_peer), limits };
        Ok(Server { listener, address, certificate, admit, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where packets of a tracked hand are awaited, if they are.
    pub fn tracker_address(&self) -> Option<SocketAddr> {
        self.shared.sessions.devices().tracker_address()
    }

    /// What it wants from everybody, if it listens beyond the loopback interface.
    pub fn token(&self) -> Option<&str> {
        self.shared.guard.token.as_deref()
    }

    /// SHA-256 of the certificate as browsers show it, if the server encrypts.
    pub fn fingerprint(&self) -> Option<&str> {
        self.certificate.as_ref().map(|certificate| certificate.fingerprint.as_str())
    }

    /// The address of the page, with the token if there is one; `path` is where in the page to begin.
    pub fn page_address(&self, path: &str) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(own_address(address.ip()).unwrap_or(std::net::Ipv4Addr::LOCALHOST.into()));
        }
        let token = self.token().map_or(String::new(), |token| format!("?token={token}"));
        format!("{}://{address}/{token}{path}", self.shared.guard.scheme)
    }

    /// Serves until `end` is there.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), ServerError> {
        let sessions = Arc::clone(&self.shared.sessions);
        // The list of scenes names their solvers, and who opens the page should not wait for them.
        std::thread::spawn(move || sessions.gallery().to_json());
        let service = router(Arc::clone(&self.shared)).into_make_service();
        let mut server = axum_server::from_tcp(self.listener.into_std()?)?;
        *server.http_builder() = http(&self.shared.limits);
        let patience = self.shared.limits.head;
        let result = async {
            match self.certificate {
                Some(certificate) => {
                    let config = RustlsConfig::from_config(certificate.configuration);
                    let acceptor = RustlsAcceptor::new(config).acceptor(self.admit);
                    server.acceptor(Prompt { acceptor, patience }).serve(service).await
                }
                None => server.acceptor(Prompt { acceptor: self.admit, patience }).serve(service).await,
            }
        };
        tokio::select! {
            result = result => result?,
            () = end => {}
        }
        Ok(())
    }
}

/// HTTP/1.1, which WebSockets are opened with; who does not send the head of a request in time is closed.
fn http(limits: &TimeLimits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.head);
    builder
}

/// Workers for the simulations; a core is left for the server.
fn pool() -> std::io::Result<rayon::ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let builder = rayon::ThreadPoolBuilder::new().num_threads(cores.saturating_sub(1).max(1));
    builder.build().map_err(std::io::Error::other)
}

/// Addresses that a certificate should name.
fn names(host: IpAddr) -> Vec<IpAddr> {
    let loopback = [std::net::Ipv4Addr::LOCALHOST.into(), std::net::Ipv6Addr::LOCALHOST.into()];
    let mut names = Vec::from(loopback);
    names.extend(if host.is_unspecified() { own_address(host) } else { Some(host) });
    names
}

/// The address under which others find this machine: that of the interface on the way out. Nothing is sent.
fn own_address(any: IpAddr) -> Option<IpAddr> {
    // An address for documentation: it is never anybody's.
    let elsewhere = if any.is_ipv4() { "192.0.2.1:9" } else { "[2001:db8::1]:9" };
    let socket = std::net::UdpSocket::bind((any, 0)).ok()?;
    socket.connect(elsewhere).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/scenes", get(scenes))
        .route("/api/scenes/{name}/picture", get(picture).put(put_picture))
        .route("/api/scenes/{name}/bodies", get(bodies))
        .route("/api/devices", get(devices_now))
        .route("/api/recordings", get(recordings))
        .route("/api/recordings/{name}", get(recording).delete(remove_recording))
        .route("/api/sessions/{session}/shapes/{index}", get(shape))
        .route("/api/sessions/{session}/lines/{index}", get(lines))
        .route("/api/sessions/{session}/tracks/{track}/shapes/{index}", get(track_shape))
        .route("/api/sessions/{session}/tracks/{track}/lines/{index}", get(track_lines))
        .route("/ws", get(socket::upgrade))
        .merge(bob::routes())
        .merge(handled::routes())
        .fallback(page::file)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), hurry))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard::check))
        .layer(middleware::map_response(protect))
        .with_state(shared)
}

/// Gives requests with a body a time to send it.
async fn hurry(State(shared): Reach, request: Request, next: middleware::Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::DELETE) {
        return next.run(request).await;
    }
    let answer = tokio::time::timeout(shared.limits.body, next.run(request)).await;
    answer.unwrap_or_else(|_| (StatusCode::REQUEST_TIMEOUT, "The request took too long.").into_response())
}

/// What browsers may do with every answer: no other site frames the page, runs its own code in it or learns its address.
async fn protect(mut response: Response) -> Response {
    const HEADERS: [(header::HeaderName, &str); 4] = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; \
             object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

type Reach = State<Arc<Shared>>;

/// Runs something that may wait for a disk or compute for long, beside the server's own thread.
async fn aside<T: Send + 'static>(
    shared: Arc<Shared>,
    work: impl FnOnce(&Sessions) -> T + Send + 'static,
) -> Result<T, StatusCode> {
    let result = tokio::task::spawn_blocking(move || work(&shared.sessions)).await;
    result.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

async fn scenes(State(shared): Reach) -> Result<Json<serde_json::Value>, StatusCode> {
    let scenes = aside(shared, |sessions| sessions.gallery().to_json()).await?;
    Ok(Json(json!({"protocol": PROTOCOL, "version": env!("CARGO_PKG_VERSION"), "scenes": scenes})))
}

/// Largest picture of a scene in bytes, and how a PNG begins.
const PICTURE_LIMIT: usize = 1 << 20;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The picture of a scene file, which a page has drawn when it was first opened.
async fn picture(State(shared): Reach, Path(name): Path<String>) -> Response {
    let item = shared.sessions.gallery().find(&name).ok();
    match item.and_then(|item| item.file()?.picture()) {
        Some(bytes) => ([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "no-cache")], bytes)
            .into_response(),
        None => (StatusCode::NOT_FOUND, "Nobody has opened that scene yet.").into_response(),
    }
}

async fn put_picture(State(shared): Reach, Path(name): Path<String>, bytes: Bytes) -> Response {
    let item = shared.sessions.gallery().find(&name).ok();
    let Some(file) = item.as_ref().and_then(|item| item.file()) else {
        return (StatusCode::NOT_FOUND, "Only scene files get their pictures from pages.").into_response();
    };
    if bytes.len() > PICTURE_LIMIT || !bytes.starts_with(PNG) {
        return (StatusCode::BAD_REQUEST, "A picture is a PNG of 1 MB at most.").into_response();
    }
    file.set_picture(bytes);
    StatusCode::NO_CONTENT.into_response()
}

/// Names of the bodies of a gallery scene that can be added to others.
async fn bodies(State(shared): Reach, Path(name): Path<String>) -> Response {
    let built = aside(shared, move |_| {
        let simulation = prall_scenes::open(&name).ok()?;
        let bodies = simulation.assets().bodies.iter().enumerate();
        let mut names: Vec<String> = bodies
            .filter(|(index, _)| simulation.body_template(*index).is_some())
            .map(|(_, body)| body.name.clone())
            .collect();
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names.truncate(200);
        Some(names)
    });
    match built.await {
        Ok(Some(names)) => Json(json!({"bodies": names})).into_response(),
        Ok(None) => (StatusCode::NOT_FOUND, "The gallery has no such scene.").into_response(),
        Err(status) => status.into_response(),
    }
}

async fn devices_now(State(shared): Reach) -> Json<serde_json::Value> {
    Json(shared.sessions.devices().to_json())
}

async fn recordings(State(shared): Reach) -> Result<Json<serde_json::Value>, StatusCode> {
    let list = aside(shared, |sessions| sessions.store().list()).await?;
    Ok(Json(json!({"recordings": list})))
}

/// Does something with the file of a recording, or says why not.
async fn with_file<T: Send + 'static>(
    shared: Arc<Shared>,
    name: String,
    work: impl FnOnce(&std::path::Path) -> std::io::Result<T> + Send + 'static,
) -> Result<T, Response> {
    let attempt = aside(shared, move |sessions| {
        let path = sessions.store().path(&name).map_err(|sentence| (StatusCode::BAD_REQUEST, sentence))?;
        work(&path).map_err(|error| (StatusCode::NOT_FOUND, format!("The recording '{name}': {error}.")))
    });
    attempt.await.map_err(IntoResponse::into_response)?.map_err(IntoResponse::into_response)
}

async fn recording(State(shared): Reach, Path(name): Path<String>) -> Response {
    let attachment = format!("attachment; filename=\"{name}\"");
    match with_file(shared, name, |path| std::fs::read(path)).await {
        Ok(bytes) => {
            let kind = "application/octet-stream".to_owned();
            ([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, attachment)], bytes).into_response()
        }
        Err(response) => response,
    }
}

async fn remove_recording(State(shared): Reach, Path(name): Path<String>) -> Response {
    let summary = bob::summary_path(shared.sessions.store(), &name);
    match with_file(shared, name, |path| std::fs::remove_file(path)).await {
        Ok(()) => {
            // What was kept of a run goes with it; most recordings have none.
            let _ = summary.map(std::fs::remove_file);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(response) => response,
    }
}

async fn shape(state: Reach, Path((session, index)): Path<(String, usize)>) -> Response {
    track_shape(state, Path((session, 0, index))).await
}

async fn lines(state: Reach, Path((session, index)): Path<(String, usize)>) -> Response {
    track_lines(state, Path((session, 0, index))).await
}

async fn track_shape(
    State(shared): Reach,
    Path((session, track, index)): Path<(String, u32, usize)>,
) -> Response {
    let appearance = shared.sessions.appearance(&session, track);
    binary(appearance.and_then(|appearance| appearance.shape(index).map(Bytes::copy_from_slice)))
}

async fn track_lines(
    State(shared): Reach,
    Path((session, track, index)): Path<(String, u32, usize)>,
) -> Response {
    let appearance = shared.sessions.appearance(&session, track);
    binary(appearance.and_then(|appearance| appearance.line_set(index).map(Bytes::copy_from_slice)))
}

fn binary(bytes: Option<Bytes>) -> Response {
    match bytes {
        Some(bytes) => ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "No running session has that geometry.").into_response(),
    }
}
