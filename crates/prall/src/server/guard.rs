//! Keeps strangers out.
//!
//! A page from anywhere can ask the browser to open a connection to this machine. Two checks stop it: `Host` must be a
//! name of the loopback interface with our port (a foreign name that resolves to 127.0.0.1 is refused), and `Origin`,
//! which browsers always send with WebSockets and foreign requests, must be our own.
//!
//! A server that listens beyond the loopback interface may be called by any name, so `Origin` must be the `Host` that was
//! called, and whoever asks must know the token. A page of another site does not, and gets no cookie to send.

use super::{Shared, token};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// Who must be kept out of which server.
pub(super) struct Guard {
    /// Where the server listens.
    pub(super) host: IpAddr,
    pub(super) port: u16,
    /// `http` or `https`.
    pub(super) scheme: &'static str,
    /// Wanted from everybody, if there is one.
    pub(super) token: Option<String>,
}

const NO_TOKEN: &str = "This server wants its token. Open the address that `prall serve` has printed in its terminal: it ends with \
                        ?token= and the token.";
const WRONG_TOKEN: &str = "That is not this server's token. It changes with each start: open the address that `prall serve` has \
                           printed in its terminal.";

pub(super) async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let guard = &shared.guard;
    if let Some(sentence) = guard.refusal(request.headers()) {
        return (StatusCode::FORBIDDEN, sentence).into_response();
    }
    let Some(token) = &guard.token else { return next.run(request).await };
    let in_query = query_token(request.uri());
    if let Some(offered) = in_query {
        if !token::fits(token, offered) {
            return (StatusCode::UNAUTHORIZED, WRONG_TOKEN).into_response();
        }
        if request.method() == Method::GET && request.uri().path() == "/" {
            return guard.admit(token);
        }
        return next.run(request).await;
    }
    match guard.offered(request.headers()) {
        Some(offered) if token::fits(token, offered) => next.run(request).await,
        Some(_) => (StatusCode::UNAUTHORIZED, WRONG_TOKEN).into_response(),
        None => (StatusCode::UNAUTHORIZED, NO_TOKEN).into_response(),
    }
}

/// Tokens have no characters that addresses would escape.
fn query_token(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

impl Guard {
    /// Cookies are not kept apart by port, so the name does it.
    fn cookie(&self) -> String {
        format!("prall-{}", self.port)
    }

    /// Gives the browser the token to keep and leads it to the page, whose address then tells nobody the token.
    fn admit(&self, token: &str) -> Response {
        let secure = if self.scheme == "https" { "; Secure" } else { "" };
        let cookie = format!("{}={token}; Path=/; HttpOnly; SameSite=Strict{secure}", self.cookie());
        (StatusCode::SEE_OTHER, [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, cookie)])
            .into_response()
    }

    /// The token that the headers bring.
    fn offered<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        if let Some(token) = bearer.and_then(|value| value.strip_prefix("Bearer ")) {
            return Some(token);
        }
        let prefix = format!("{}=", self.cookie());
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .find_map(|pair| pair.trim().strip_prefix(&prefix))
    }

    /// Why a request with these headers is not for us.
    fn refusal(&self, headers: &HeaderMap) -> Option<String> {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
        let Guard { scheme, port, .. } = self;
        let sentence = |what: &str, value: &str| {
            format!(
                "Refused: the {what} '{value}' is not this server. Open {scheme}://127.0.0.1:{port}/ instead."
            )
        };
        let host = text(header::HOST).unwrap_or_default();
        if self.token.is_none() && !self.is_own(host) {
            return Some(sentence("host", host));
        }
        let origin = text(header::ORIGIN)?;
        let from = origin.strip_prefix(scheme).and_then(|rest| rest.strip_prefix("://"));
        let own =
            from.is_some_and(|from| if self.token.is_none() { self.is_own(from) } else { from == host });
        (!own).then(|| sentence("origin", origin))
    }

    fn is_own(&self, host: &str) -> bool {
        let standard = if self.scheme == "https" { 443 } else { 80 };
        let own = match self.host {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        ["127.0.0.1", "localhost", "[::1]", &own].iter().any(|name| {
            host.strip_prefix(name).is_some_and(|rest| {
                rest == format!(":{}", self.port) || (rest.is_empty() && self.port == standard)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_with_the_right_port_are_our_own() {
        let elsewhere = IpAddr::from([127, 0, 0, 2]);
        assert!(Guard { host: elsewhere, port: 7878, scheme: "http", token: None }.is_own("127.0.0.2:7878"));
        let host = IpAddr::from([127, 0, 0, 1]);
        let guard = |port| Guard { host, port, scheme: "http", token: None };
        assert!(!guard(7878).is_own("127.0.0.2:7878"));
        for host in ["127.0.0.1:7878", "localhost:7878", "[::1]:7878"] {
            assert!(guard(7878).is_own(host), "{host}");
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
            assert!(!guard(7878).is_own(host), "{host}");
        }
        assert!(guard(80).is_own("localhost"));
    }

    #[test]
    fn the_token_is_found_in_either_header() {
        let guard = Guard {
            host: IpAddr::from([0, 0, 0, 0]),
            port: 7878,
            scheme: "https",
            token: Some("abc".to_owned()),
        };
        let headers = |name, value: &'static str| HeaderMap::from_iter([(name, value.parse().unwrap())]);
        assert_eq!(guard.offered(&headers(header::AUTHORIZATION, "Bearer abc")), Some("abc"));
        assert_eq!(guard.offered(&headers(header::COOKIE, "a=b; prall-7878=abc")), Some("abc"));
        assert_eq!(guard.offered(&headers(header::COOKIE, "prall-7879=abc")), None);
        assert_eq!(guard.offered(&HeaderMap::new()), None);
    }

    #[test]
    fn beyond_loopback_the_origin_must_be_the_host_that_was_called() {
        let guard = Guard {
            host: IpAddr::from([0, 0, 0, 0]),
            port: 7878,
            scheme: "https",
            token: Some("abc".to_owned()),
        };
        let refused = |host: &str, origin: &str| {
            let pairs = [(header::HOST, host.parse().unwrap()), (header::ORIGIN, origin.parse().unwrap())];
            guard.refusal(&HeaderMap::from_iter(pairs)).is_some()
        };
        assert!(!refused("192.168.1.5:7878", "https://192.168.1.5:7878"));
        assert!(refused("192.168.1.5:7878", "https://evil.example"));
        assert!(refused("192.168.1.5:7878", "http://192.168.1.5:7878"));
    }
}
