//! What a recording of a handled part says: numbers, certificate, path, animation, page.

use super::{Reach, Sessions, Shared};
use crate::handled::{HandledPath, animation, certify, document, handled_path};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/api/recordings/{name}/handled/{document}", get(handled))
}

/// A file with its kind.
type Document = (&'static str, Vec<u8>);

async fn handled(State(shared): Reach, Path((name, document)): Path<(String, String)>) -> Response {
    let work = move |sessions: &Sessions| make(sessions, &name, &document);
    match super::aside(shared, work).await {
        Ok(Ok((kind, bytes))) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
        Ok(Err((status, sentence))) => (status, sentence).into_response(),
        Err(status) => status.into_response(),
    }
}

fn make(sessions: &Sessions, name: &str, wanted: &str) -> Result<Document, (StatusCode, String)> {
    let refused = |sentence: String| (StatusCode::UNPROCESSABLE_ENTITY, sentence);
    let recording = sessions.store().read(name).map_err(|sentence| (StatusCode::NOT_FOUND, sentence))?;
    let scene = sessions.gallery().find(&recording.description.scene);
    let mut simulation = scene.map_err(|error| refused(error.to_string()))?.build();
    let path = handled_path(&recording, simulation.as_mut()).map_err(refused)?;
    match wanted {
        "summary.json" => Ok(("application/json", summary(&path).into_bytes())),
        "path.csv" => Ok(("text/csv", path.numbers_as_csv().into_bytes())),
        "animation.glb" => Ok(("model/gltf-binary", animation(&path))),
        "certificate.json" | "report.html" => {
            let pool = super::pool().map_err(|error| refused(error.to_string()))?;
            let certificates = certify(&path, &pool).map_err(refused)?;
            if wanted == "report.html" {
                let page = document(&path, &certificates, recording.description.recorded);
                return Ok(("text/html; charset=utf-8", page.into_bytes()));
            }
            let answer =
                json!({"certificates": certificates, "state_hash": format!("{:016x}", path.state_hash)});
            Ok(("application/json", answer.to_string().into_bytes()))
        }
        _ => {
            let known = "summary.json, certificate.json, path.csv, animation.glb and report.html";
            Err((
                StatusCode::NOT_FOUND,
                format!("There is no '{wanted}' of a handled path; there are {known}."),
            ))
        }
    }
}

/// What the list shows before anything is certified.
fn summary(path: &HandledPath) -> String {
    let parts = path.parts.iter().map(|part| {
        let gap = part.smallest_gap();
        json!({
            "part": path.shapes[part.part].0,
            "from": part.samples.first().map(|sample| sample.time),
            "to": part.samples.last().map(|sample| sample.time),
            "proven_gap": gap.is_finite().then_some(gap),
            "largest_force": part.largest_force(),
        })
    });
    json!({"seconds": path.seconds, "parts": parts.collect::<Vec<_>>()}).to_string()
}
