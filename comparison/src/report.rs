//! Tables in Markdown, and curves as SVG.

use std::fmt::Write;

/// A length with a unit that fits.
pub fn length(metres: f64) -> String {
    match metres {
        m if !m.is_finite() => "-".to_owned(),
        m if m >= 1.0 => format!("{m:.2} m"),
        m if m >= 1e-3 => format!("{:.2} mm", m * 1e3),
        m if m >= 1e-6 => format!("{:.2} um", m * 1e6),
        0.0 => "0".to_owned(),
        m => format!("{m:.0e} m"),
    }
}

/// A time with a unit that fits, from us.
pub fn microseconds(us: f64) -> String {
    match us {
        us if !us.is_finite() => "-".to_owned(),
        us if us >= 1e6 => format!("{:.2} s", us * 1e-6),
        us if us >= 1e3 => format!("{:.2} ms", us * 1e-3),
        us => format!("{us:.1} us"),
    }
}

/// A table in Markdown.
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new(head: &[&str]) -> Table {
        Table { head: head.iter().map(|text| (*text).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The text.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        text.push_str(&line(&self.head));
        text.push_str(
            &line(&vec!["---".to_owned(); self.head.len()]).replace("| ---", "|---").replace("--- |", "---|"),
        );
        for row in &self.rows {
            text.push_str(&line(row));
        }
        text
    }
}

/// A curve with its name.
pub struct Curve {
    /// In the legend.
    pub name: String,
    /// Points, both above 0.
    pub points: Vec<[f64; 2]>,
}

/// Curves over two logarithmic axes.
pub fn logarithmic(title: &str, labels: [&str; 2], curves: &[Curve]) -> String {
    const COLOURS: [&str; 10] = [
        "#0b6e99", "#d1495b", "#edae49", "#4f772d", "#7b4fa3", "#8d6e63", "#546e7a", "#00b39b", "#111111",
        "#c2185b",
    ];
    let (width, height, left, bottom, top, right) = (830.0, 460.0, 80.0, 56.0, 40.0, 280.0);
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let range = |axis: usize| {
        let values = all().map(|point| point[axis].log10());
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        (low.floor(), high.ceil().max(low.floor() + 1.0))
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/><text x=\"{left}\" y=\"24\" font-size=\"15\" fill=\"#222222\">{title}</text>"
    );
    if all().next().is_none() {
        return text + "</svg>\n";
    }
    let ranges = [range(0), range(1)];
    let x = |value: f64| {
        left + (value.log10() - ranges[0].0) / (ranges[0].1 - ranges[0].0) * (width - left - right)
    };
    let y = |value: f64| {
        height
            - bottom
            - (value.log10() - ranges[1].0) / (ranges[1].1 - ranges[1].0) * (height - bottom - top)
    };
    let tenth = |power: f64| format!("10<tspan dy=\"-5\" font-size=\"10\">{power:.0}</tspan>");
    let right_edge = width - right;
    let foot = height - bottom;
    for axis in 0..2 {
        for power in ranges[axis].0 as i32..=ranges[axis].1 as i32 {
            let value = 10_f64.powi(power);
            // A line across, and its label: below for the first axis, to the left for the second.
            let (line, [at_x, at_y], anchor) = if axis == 0 {
                (format!("M{:.1} {top}V{foot:.1}", x(value)), [x(value), foot + 20.0], "middle")
            } else {
                (format!("M{left} {:.1}H{right_edge:.1}", y(value)), [left - 8.0, y(value) + 4.0], "end")
            };
            let _ = write!(
                text,
                "<path d=\"{line}\" stroke=\"#dddddd\"/><text x=\"{at_x:.1}\" y=\"{at_y:.1}\" text-anchor=\"{anchor}\" fill=\"#555555\">{}</text>",
                tenth(f64::from(power))
            );
        }
    }
    let _ = write!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#222222\">{}</text><text transform=\"translate(20 {:.1}) rotate(-90)\" text-anchor=\"middle\" fill=\"#222222\">{}</text>",
        0.5 * (left + width - right),
        height - 12.0,
        labels[0],
        0.5 * (top + height - bottom),
        labels[1]
    );
    for (number, curve) in curves.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let points: Vec<String> =
            curve.points.iter().map(|p| format!("{:.1},{:.1}", x(p[0]), y(p[1]))).collect();
        let _ = write!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        for point in &curve.points {
            let _ = write!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{colour}\"/>",
                x(point[0]),
                y(point[1])
            );
        }
        let line = top + 16.0 + 20.0 * number as f64;
        let _ = write!(
            text,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"14\" height=\"4\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#222222\">{}</text>",
            width - right + 14.0,
            line - 6.0,
            width - right + 34.0,
            line,
            curve.name
        );
    }
    text + "</svg>\n"
}

/// Exponent of growth between the smallest and the largest of some (size, cost).
pub fn exponent(points: &[[f64; 2]]) -> Option<f64> {
    let (first, last) = (points.first()?, points.last()?);
    (first[0] < last[0]).then(|| (last[1] / first[1]).ln() / (last[0] / first[0]).ln())
}
