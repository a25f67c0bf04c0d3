//! A track on paper: plan, height, bank and curvature.

use std::fmt::Write;

use glam::DVec2;

use super::{PointMassRun, PointMassStart, Side, Track};

/// Size of the sheet in pixels.
const WIDTH: f64 = 1200.0;
const PLAN_HEIGHT: f64 = 620.0;
const STRIP_HEIGHT: f64 = 150.0;
const MARGIN: f64 = 60.0;

/// A quantity over the station.
struct Strip<'a> {
    title: &'a str,
    unit: &'a str,
    value: &'a dyn Fn(f64) -> f64,
}

/// Height of a line of small text.
const LINE: f64 = 12.0;

impl Track {
    /// The track as an SVG sheet: seen from above with numbered curves and timing stations; below it height, bank and curvature over the
    /// station. Bank is the slope of the ice where a point mass would ride, which is what the driver leans into.
    pub fn drawing(&self) -> String {
        let run = PointMassRun::new(self, PointMassStart::Flying(self.start().v0), self.point_mass().mu);
        let strips = [
            Strip { title: "Height", unit: "m", value: &|s| self.height().point(s).height },
            Strip {
                title: "Bank of the ice under a point mass",
                unit: "°",
                value: &|s| run.at(s).bank.to_degrees(),
            },
            Strip {
                title: "Curvature (left positive)",
                unit: "1/m",
                value: &|s| self.plan().point(s).curvature,
            },
        ];
        let height = PLAN_HEIGHT + strips.len() as f64 * (STRIP_HEIGHT + 44.0) + MARGIN;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#1c2530\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
             <text x=\"{MARGIN}\" y=\"34\" font-size=\"20\" font-weight=\"600\">{}</text>\n",
            escaped(self.name())
        );
        self.draw_plan(&mut svg);
        for (i, strip) in strips.iter().enumerate() {
            self.draw_strip(&mut svg, strip, PLAN_HEIGHT + 40.0 + i as f64 * (STRIP_HEIGHT + 44.0));
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn draw_plan(&self, svg: &mut String) {
        let (begin, end) = self.plan().range();
        let count = ((end - begin) / 1.0).ceil() as usize;
        let line: Vec<DVec2> = (0..=count)
            .map(|i| self.plan().point(begin + (end - begin) * i as f64 / count as f64).position)
            .collect();
        // The longer side of the track lies across the sheet.
        let (low, high) = bounds(&line);
        let turned = (high - low).y > (high - low).x;
        let lay = |p: DVec2| if turned { DVec2::new(-p.y, p.x) } else { p };
        let laid: Vec<DVec2> = line.iter().map(|&p| lay(p)).collect();
        let (low, high) = bounds(&laid);
        let room = DVec2::new(WIDTH - 2.0 * MARGIN, PLAN_HEIGHT - 60.0 - MARGIN);
        let scale = (room / (high - low).max(DVec2::splat(1e-9))).min_element();
        let shift = DVec2::new(MARGIN, 60.0) + 0.5 * (room - (high - low) * scale);
        let map = |p: DVec2| (lay(p) - low) * scale + shift;
        let path = |svg: &mut String, points: &[DVec2], color: &str, width: f64| {
            let _ = write!(
                svg,
                "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" points=\""
            );
            for &p in points {
                let p = map(p);
                let _ = write!(svg, "{:.1},{:.1} ", p.x, p.y);
            }
            svg.push_str("\"/>\n");
        };
        path(svg, &line, "#b6c2d1", 5.0);
        // What labels keep away from.
        let mut taken: Vec<DVec2> = line.iter().map(|&p| map(p)).collect();
        for curve in self.curves() {
            let (from, to) = curve.stations;
            let points: Vec<DVec2> = (0..=40)
                .map(|i| self.plan().point(from + (to - from) * f64::from(i) / 40.0).position)
                .collect();
            path(svg, &points, if curve.side == Side::Left { "#1f6feb" } else { "#d9480f" }, 5.0);
            let middle = self.course(0.5 * (from + to));
            let outwards = -curve.side.sign() * DVec2::new(middle.left().x, middle.left().z);
            let at = map(DVec2::new(middle.position.x, middle.position.z) + outwards * (18.0 / scale));
            taken.push(at);
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-weight=\"600\"><title>{}</title>{}</text>",
                at.x,
                at.y + 4.0,
                escaped(&curve.name),
                curve.number
            );
        }
        for &s in std::iter::once(&0.0).chain(&self.timing().stations) {
            let at = map(self.plan().point(s).position);
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\" fill=\"#ffffff\" stroke=\"#1c2530\" stroke-width=\"2\"/>",
                at.x, at.y
            );
            let text = format!("{s} m");
            let size = DVec2::new(SIGN * text.len() as f64, SMALL);
            let middle = beside(at, size, &taken);
            taken.extend([-0.5, 0.0, 0.5].map(|share| middle + DVec2::new(share * size.x, 0.0)));
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{SMALL}\" text-anchor=\"middle\">{text}</text>",
                middle.x,
                middle.y + 0.36 * SMALL
            );
        }
        let bar = nice_length(160.0 / scale);
        let (x, y) = (MARGIN, PLAN_HEIGHT - 6.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{x} {y}h{:.1}\" stroke=\"#1c2530\" stroke-width=\"2\"/><text x=\"{:.1}\" y=\"{:.1}\">{bar} m</text>\n\
             <text x=\"{:.1}\" y=\"{y}\"><tspan fill=\"#1f6feb\">left</tspan> and <tspan fill=\"#d9480f\">right</tspan> curves, circles: timing stations</text>",
            bar * scale,
            x + bar * scale + 8.0,
            y + 4.0,
            x + bar * scale + 90.0,
        );
    }

    fn draw_strip(&self, svg: &mut String, strip: &Strip<'_>, top: f64) {
        let finish = self.finish();
        let count = 1200;
        let values: Vec<f64> =
            (0..=count).map(|i| (strip.value)(finish * f64::from(i) / f64::from(count))).collect();
        let low = values.iter().fold(0.0_f64, |least, &v| least.min(v));
        let high = values.iter().fold(low + 1e-9, |most, &v| most.max(v));
        let x = |s: f64| MARGIN + (WIDTH - 2.0 * MARGIN) * s / finish;
        let y = |v: f64| top + STRIP_HEIGHT * (high - v) / (high - low);
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{:.1}\" font-weight=\"600\">{} [{}]</text>",
            top - 8.0,
            strip.title,
            strip.unit
        );
        for curve in self.curves() {
            let (from, to) = curve.stations;
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{top}\" width=\"{:.1}\" height=\"{STRIP_HEIGHT}\" fill=\"#eef2f7\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 font-size=\"10\" fill=\"#5b6878\" text-anchor=\"middle\">{}</text>",
                x(from),
                x(to) - x(from),
                x(0.5 * (from + to)),
                top + STRIP_HEIGHT + 13.0,
                curve.number
            );
        }
        let digits = if high - low < 1.0 { 3 } else { 0 };
        // Zero has a line of its own where it is not at an end.
        let zero = (y(low) - y(0.0) > LINE && y(0.0) - y(high) > LINE).then_some(0.0);
        for v in [Some(low), zero, Some(high)].into_iter().flatten() {
            let _ = writeln!(
                svg,
                "<path d=\"M{MARGIN} {0:.1}H{1:.1}\" stroke=\"#c9d3df\"/><text x=\"{2:.1}\" y=\"{3:.1}\" font-size=\"11\" text-anchor=\"end\">{v:.digits$}</text>",
                y(v),
                WIDTH - MARGIN,
                MARGIN - 6.0,
                y(v) + 4.0
            );
        }
        svg.push_str("<polyline fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"1.5\" points=\"");
        for (i, v) in values.iter().enumerate() {
            let _ = write!(svg, "{:.1},{:.1} ", x(finish * i as f64 / f64::from(count)), y(*v));
        }
        svg.push_str("\"/>\n");
    }
}

/// Size of small text and mean width of its signs, in pixels.
const SMALL: f64 = 11.0;
const SIGN: f64 = 6.0;
/// From the middle of a circle to the nearest side of its label, and how much air a label needs, in pixels.
const GAP: f64 = 9.0;
const AIR: f64 = 9.0;

/// Where the middle of a label goes: around a place, where it has air, or most of it; above and to the right if it may.
fn beside(at: DVec2, size: DVec2, taken: &[DVec2]) -> DVec2 {
    let half = 0.5 * size;
    let air = |middle: DVec2| {
        let away = |p: &DVec2| ((*p - middle).abs() - half).max(DVec2::ZERO).length_squared();
        taken.iter().map(away).fold(f64::INFINITY, f64::min).min(AIR * AIR)
    };
    let around = [[1, -1], [1, 1], [-1, -1], [-1, 1], [0, -1], [0, 1], [1, 0], [-1, 0]];
    let places = [1.0, 1.8].into_iter().flat_map(|far| {
        around.map(|[x, y]| {
            let way = DVec2::new(f64::from(x), f64::from(y));
            let diagonal = if x != 0 && y != 0 { 0.7 } else { 1.0 };
            at + way * (half + DVec2::splat(GAP * far * diagonal))
        })
    });
    places.fold((at, -1.0), |best, place| if air(place) > best.1 { (place, air(place)) } else { best }).0
}

fn bounds(points: &[DVec2]) -> (DVec2, DVec2) {
    points.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)))
}

/// 1, 2 or 5 times a power of ten, not above the wish.
fn nice_length(wish: f64) -> f64 {
    let mut unit = 1.0;
    while unit * 10.0 <= wish {
        unit *= 10.0;
    }
    [5.0, 2.0, 1.0].into_iter().map(|step| step * unit).find(|&length| length <= wish).unwrap_or(unit)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
