//! [`document`]: one page that an engineer can send, readable without a server.

use super::certificate::{Certificate, Place};
use super::path::{HandledPath, PartPath, Sample};
use glam::{DVec2, DVec3};
use prall_geometry::Shape;
use prall_math::Pose;
use std::fmt::Write;

/// Width and height of a chart and of a view, in px.
const CHART: (f64, f64) = (720.0, 180.0);
const VIEW: f64 = 300.0;
/// Corners of a shape that a view shows at most.
const CORNERS: usize = 2_500;

/// The page; `recorded` is in s since the beginning of 1970.
pub fn document(path: &HandledPath, certificates: &[Certificate], recorded: u64) -> String {
    let all_free = !certificates.is_empty() && certificates.iter().all(|found| found.verdict == "free");
    let verdict = if all_free { "Certified free" } else { "Not certified" };
    let mut page = String::new();
    let _ = write!(
        page,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style>\
         <h1>{title}</h1><p class=\"{class}\">{verdict}</p><p>Recorded {recorded}, {seconds:.1} s. Every motion between two recorded poses was judged by \
         the certified time of impact, from triangles and poses alone.</p>",
        title = escaped(&format!("Handled path: {}", path.scene)),
        class = if all_free { "free" } else { "contact" },
        recorded = date(recorded),
        seconds = path.seconds,
    );
    page.push_str("<h2>Parts</h2>");
    table(&mut page, certificates);
    for part in &path.parts {
        let name = escaped(&path.shapes[part.part].0);
        let _ = write!(page, "<h2>{name}</h2><div class=\"views\">");
        for (title, axes) in [("from above", (0, 2)), ("from the front", (0, 1)), ("from the side", (2, 1))] {
            view(&mut page, path, part, title, axes);
        }
        page.push_str("</div>");
        chart(&mut page, part, "Proven gap in mm, at most 5", |sample| 1e3 * sample.gap.min(5e-3));
        chart(&mut page, part, "Contact force in N", |sample| sample.force);
    }
    let _ = write!(
        page,
        "<h2>Origin</h2><p>Prall {}, state hash {:016x}, {} objects, {} triangles.</p></html>",
        env!("CARGO_PKG_VERSION"),
        path.state_hash,
        path.shapes.len(),
        path.shapes.iter().map(|(_, shape, _)| triangle_count(shape)).sum::<usize>(),
    );
    page
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:32px auto;padding:0 16px;color:#12181b}\
    h1{font-size:24px}h2{font-size:18px;margin-top:28px}table{border-collapse:collapse}td,th{padding:4px 12px;border-bottom:1px solid #dde3e4;text-align:left}\
    .free{color:#0a6b75;font-weight:600;font-size:18px}.contact{color:#b0261d;font-weight:600;font-size:18px}\
    .views{display:flex;gap:12px;flex-wrap:wrap}figure{margin:0}figcaption{font-size:12px;color:#424d53}svg{background:#f5f7f7;border-radius:8px}";

/// The day of a time in s since the beginning of 1970, as year-month-day in UTC.
fn date(seconds: u64) -> String {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut day) = (1970, seconds / 86_400);
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < length {
            break;
        }
        (day, month) = (day - length, month + 1);
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn triangle_count(shape: &Shape) -> usize {
    if let Shape::TriangleMesh(mesh) = shape { mesh.mesh().triangles().len() } else { 0 }
}

fn table(page: &mut String, certificates: &[Certificate]) {
    page.push_str(
        "<table><tr><th>Part<th>Verdict<th>Time in hand<th>Proven gap<th>Tightest at<th>Largest force</tr>",
    );
    for found in certificates {
        let place = |place: &Place| {
            format!("{} at {:.2} s ({:.3} mm)", escaped(&place.obstacle), place.time, 1e3 * place.gap)
        };
        let verdict = match (&found.contact, found.verdict) {
            (Some(contact), _) => format!("contact: {}", place(contact)),
            (None, verdict) => verdict.to_owned(),
        };
        let gap =
            found.gap_at_least.map_or("nothing near".to_owned(), |gap| format!("≥ {:.4} mm", 1e3 * gap));
        let _ = write!(
            page,
            "<tr><td>{}<td>{verdict}<td>{:.1} to {:.1} s<td>{gap}<td>{}<td>{:.0} N</tr>",
            escaped(&found.part),
            found.from,
            found.to,
            found.tightest.as_ref().map_or(String::new(), place),
            found.largest_force
        );
    }
    page.push_str("</table>");
}

fn corners(shape: &Shape, pose: &Pose) -> Vec<DVec3> {
    let Shape::TriangleMesh(mesh) = shape else { return Vec::new() };
    let positions = mesh.mesh().positions();
    let every = (positions.len() / CORNERS).max(1);
    positions.iter().step_by(every).map(|corner| pose.transform_point(*corner)).collect()
}

/// Corners of everything as dots, the part where it began and ended, and its way.
fn view(page: &mut String, path: &HandledPath, part: &PartPath, title: &str, (u, v): (usize, usize)) {
    let flat = |point: DVec3| DVec2::new(point[u], if v == 2 { -point[v] } else { point[v] });
    let shape = &path.shapes[part.part].1;
    let way: Vec<DVec2> =
        part.samples.iter().map(|sample| flat(sample.pose.transform_point(part.reference))).collect();
    let (first, last) = (part.samples.first(), part.samples.last());
    let ends: Vec<Vec<DVec2>> = [first, last]
        .into_iter()
        .flatten()
        .map(|sample| corners(shape, &sample.pose).into_iter().map(flat).collect())
        .collect();
    let own = way.iter().chain(ends.iter().flatten());
    let (low, high) = own.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), point| {
        (low.min(*point), high.max(*point))
    });
    let middle = 0.5 * (low + high);
    let reach = 0.65 * (high - low).max_element().max(1e-6);
    let pixel = |point: DVec2| {
        let share = (point - middle) / (2.0 * reach) + DVec2::splat(0.5);
        (VIEW * share.x, VIEW * (1.0 - share.y))
    };
    let inside = |(x, y): &(f64, f64)| (0.0..=VIEW).contains(x) && (0.0..=VIEW).contains(y);
    let dots = |points: &mut dyn Iterator<Item = DVec2>| -> String {
        points.map(pixel).filter(inside).fold(String::new(), |mut dots, (x, y)| {
            let _ = write!(dots, "M{x:.1} {y:.1}h1");
            dots
        })
    };
    let others = path.shapes.iter().zip(&part.others).enumerate();
    let others = others.filter(|(index, _)| *index != part.part);
    let mut scenery = others.flat_map(|(_, ((_, shape, _), pose))| corners(shape, pose)).map(flat);
    let line: String = way.iter().map(|point| pixel(*point)).fold(String::new(), |mut line, (x, y)| {
        let _ = write!(line, "{}{x:.1} {y:.1}", if line.is_empty() { "M" } else { "L" });
        line
    });
    let _ = write!(
        page,
        "<figure><svg width=\"{VIEW}\" height=\"{VIEW}\"><path d=\"{}\" stroke=\"#9fb0b8\"/>",
        dots(&mut scenery)
    );
    for (points, color) in ends.iter().zip(["#a85708", "#0a6b75"]) {
        let _ = write!(page, "<path d=\"{}\" stroke=\"{color}\"/>", dots(&mut points.iter().copied()));
    }
    let _ = write!(
        page,
        "<path d=\"{line}\" fill=\"none\" stroke=\"#12181b\" stroke-width=\"1.5\"/></svg><figcaption>{title}: begin ochre, end petrol, {:.0} mm wide</figcaption></figure>",
        2e3 * reach
    );
}

fn chart(page: &mut String, part: &PartPath, title: &str, value: impl Fn(&Sample) -> f64) {
    let (Some(first), Some(last)) = (part.samples.first(), part.samples.last()) else { return };
    let span = (last.time - first.time).max(1e-9);
    let top = part.samples.iter().map(&value).fold(0.0, f64::max).max(1e-9);
    let (width, height) = CHART;
    let line = part.samples.iter().fold(String::new(), |mut line, sample| {
        let x = width * (sample.time - first.time) / span;
        let y = height - (height - 14.0) * value(sample) / top;
        let _ = write!(line, "{}{x:.1} {y:.1}", if line.is_empty() { "M" } else { "L" });
        line
    });
    let _ = write!(
        page,
        "<figure><svg width=\"{width}\" height=\"{height}\"><path d=\"{line}\" fill=\"none\" stroke=\"#0a6b75\" stroke-width=\"1.5\"/>\
         <text x=\"4\" y=\"12\" font-size=\"11\" fill=\"#424d53\">{top:.3}</text></svg><figcaption>{title}, from {:.1} to {:.1} s</figcaption></figure>",
        first.time, last.time
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let days = [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_767_225_599, "2025-12-31"),
            (1_767_225_600, "2026-01-01"),
        ];
        for (seconds, day) in days {
            assert_eq!(date(seconds), day);
        }
    }
}
