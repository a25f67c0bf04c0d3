//! Keeps other sites out.
//!
//! A page from anywhere can ask the browser to open a connection to this machine. Two checks stop it: `Host` must be a
//! name of the loopback interface with our port (a foreign name that resolves to 127.0.0.1 is refused), and `Origin`,
//! which browsers always send with WebSockets and foreign requests, must be our own.

use super::Shared;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

pub(super) async fn same_site(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    match refusal(request.headers(), shared.address.port()) {
        Some(sentence) => (StatusCode::FORBIDDEN, sentence).into_response(),
        None => next.run(request).await,
    }
}

/// Why a request with these headers is not for us.
fn refusal(headers: &HeaderMap, port: u16) -> Option<String> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    let sentence = |what: &str, value: &str| {
        format!("Refused: the {what} '{value}' is not this server. Open http://127.0.0.1:{port}/ instead.")
    };
    let host = text(header::HOST).unwrap_or_default();
    if !is_own(host, port) {
        return Some(sentence("host", host));
    }
    let origin = text(header::ORIGIN)?;
    let own = origin.strip_prefix("http://").is_some_and(|host| is_own(host, port));
    (!own).then(|| sentence("origin", origin))
}

fn is_own(host: &str, port: u16) -> bool {
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| {
        host.strip_prefix(name)
            .is_some_and(|rest| rest == format!(":{port}") || (rest.is_empty() && port == 80))
    })
}

#[cfg(test)]
mod tests {
    use super::is_own;

    #[test]
    fn only_loopback_names_with_the_right_port_are_our_own() {
        for host in ["127.0.0.1:7878", "localhost:7878", "[::1]:7878"] {
            assert!(is_own(host, 7878), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost.evil.example:7878",
            "evil.example:7878",
            "null",
            "",
            "127.0.0.1:7878x",
        ] {
            assert!(!is_own(host, 7878), "{host}");
        }
        assert!(is_own("localhost", 80));
    }
}
