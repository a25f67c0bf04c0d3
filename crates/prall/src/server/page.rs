//! The page's files, embedded at build time.

use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use thiserror::Error;

static FILES: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The binary was built before the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "this binary was built without its page; `make run` builds both, or run `npm ci && npm run build` in viewer/ and \
     build prall again"
)]
pub struct NoPage;

/// Checks that the page is in the binary.
pub fn require_page() -> Result<(), NoPage> {
    find("index.html").map(|_| ()).ok_or(NoPage)
}

fn find(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(file, _)| *file == name).map(|(_, bytes)| *bytes)
}

pub(super) async fn file(uri: Uri) -> Response {
    let name = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    match find(name) {
        Some(bytes) => {
            // Files below assets/ carry a hash of their content in their name.
            let caching =
                if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
            ([(header::CONTENT_TYPE, content_type(name)), (header::CACHE_CONTROL, caching)], bytes)
                .into_response()
        }
        None if FILES.is_empty() => (StatusCode::NOT_FOUND, NoPage.to_string()).into_response(),
        None => (StatusCode::NOT_FOUND, "There is no such file. The gallery is at /.").into_response(),
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        _ => "application/octet-stream",
    }
}
