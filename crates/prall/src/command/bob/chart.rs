//! Charts of runs: panels of lines or bars below each other, as SVG or PNG by the ending of the file's name.

use crate::command::Failure;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use std::path::Path;
use std::sync::OnceLock;

/// Colours of the series, in their order; also readable without red and green.
const COLORS: [RGBColor; 6] = [
    RGBColor(31, 111, 235),
    RGBColor(217, 72, 15),
    RGBColor(18, 128, 92),
    RGBColor(148, 63, 190),
    RGBColor(120, 92, 20),
    RGBColor(90, 104, 120),
];
const INK: RGBColor = RGBColor(28, 37, 48);
const BAND: RGBColor = RGBColor(236, 241, 247);
const GRID: RGBColor = RGBColor(214, 222, 232);
const FONT: &str = "sans-serif";
const WIDTH: u32 = 1200;
const HEAD: u32 = 62;
/// Points of a line from which on it is thin: more than there are pixels.
const DENSE: usize = 2000;

/// A page of panels.
pub(super) struct Sheet {
    pub(super) title: String,
    /// What runs along all panels.
    pub(super) across: String,
    pub(super) panels: Vec<Panel>,
    /// Panels beside each other.
    pub(super) columns: u32,
    pub(super) panel_height: u32,
    /// Stretches with a shade and a label, such as curves.
    pub(super) bands: Vec<(f64, f64, String)>,
}

/// One diagram.
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) series: Vec<Series>,
}

/// How a series is shown.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mark {
    Line,
    /// A line with its points: few values.
    Points,
    /// Bars that stand on zero, of this width.
    Bars(f64),
    /// An upright line at each place.
    Rule,
    /// The same, thin: something happened there.
    Event,
}

/// Numbers with a name.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) mark: Mark,
    pub(super) points: Vec<(f64, f64)>,
}

impl Series {
    pub(super) fn line(name: &str, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.to_owned(), mark: Mark::Line, points }
    }
}

impl Sheet {
    /// Writes it; the ending of the name, svg or png, says how.
    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        static FONT_IS_THERE: OnceLock<bool> = OnceLock::new();
        let there = FONT_IS_THERE
            .get_or_init(|| register_font(FONT, FontStyle::Normal, dejavu::sans::regular()).is_ok());
        if !there {
            return Err("the font of the charts cannot be read".into());
        }
        let rows = (self.panels.len() as u32).div_ceil(self.columns.max(1));
        let size = (WIDTH, HEAD + rows * self.panel_height);
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => {
                let mut svg = String::new();
                self.draw(&SVGBackend::with_string(&mut svg, size).into_drawing_area())?;
                Ok(crate::output::write(path, svg)?)
            }
            Some("png") => Ok(crate::output::write_by(path, |path| {
                self.draw(&BitMapBackend::new(path, size).into_drawing_area())
                    .map_err(|error| format!("{}: {error}", path.display()))
            })?),
            _ => Err(format!("{}: a chart's name ends in .svg or .png", path.display()).into()),
        }
    }

    fn draw<B>(&self, area: &DrawingArea<B, Shift>) -> Result<(), Failure>
    where
        B: DrawingBackend,
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let (head, body) = area.split_vertically(HEAD);
        head.draw(&Text::new(self.title.clone(), (24, 12), (FONT, 21).into_font().color(&INK)))?;
        let mut x = 24;
        for (index, name) in self.names().into_iter().enumerate() {
            let color = COLORS[index % COLORS.len()];
            head.draw(&Rectangle::new([(x, 46), (x + 18, 50)], color.filled()))?;
            head.draw(&Text::new(name.clone(), (x + 24, 41), (FONT, 13).into_font().color(&INK)))?;
            x += 50 + 8 * name.chars().count() as i32;
        }
        let rows = self.panels.len().div_ceil(self.columns.max(1) as usize);
        let parts = body.split_evenly((rows, self.columns.max(1) as usize));
        for (panel, part) in self.panels.iter().zip(parts) {
            self.draw_panel(panel, &part)?;
        }
        area.present()?;
        Ok(())
    }

    /// Names of all series, each once, in the order in which they appear.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if !names.contains(&series.name) {
                names.push(series.name.clone());
            }
        }
        names
    }

    fn draw_panel<B>(&self, panel: &Panel, area: &DrawingArea<B, Shift>) -> Result<(), Failure>
    where
        B: DrawingBackend,
        B::ErrorType: 'static,
    {
        let (x, y) = self.ranges(panel);
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(24)
            .caption(&panel.title, (FONT, 15).into_font().color(&INK))
            .x_label_area_size(36)
            .y_label_area_size(58)
            .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
        for (from, to, label) in &self.bands {
            if *to < x.0 || *from > x.1 {
                continue;
            }
            let corners = [(from.max(x.0), y.0), (to.min(x.1), y.1)];
            chart.draw_series([Rectangle::new(corners, BAND.filled())])?;
            let style = (FONT, 11).into_font().color(&RGBColor(91, 104, 120));
            chart.draw_series([Text::new(
                label.clone(),
                (0.5 * (corners[0].0 + corners[1].0), y.1),
                style,
            )])?;
        }
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(GRID)
            .y_labels(ticks(panel, y.1))
            .x_label_formatter(&|value| label(*value))
            .y_label_formatter(&|value| label(*value))
            .x_desc(&self.across)
            .label_style((FONT, 12).into_font().color(&INK))
            .draw()?;
        let names = self.names();
        for series in &panel.series {
            let index = names.iter().position(|name| *name == series.name).unwrap_or(0);
            let color = COLORS[index % COLORS.len()];
            let points = series.points.iter().copied();
            match series.mark {
                Mark::Bars(width) => {
                    let bar = |(x, y): (f64, f64)| {
                        Rectangle::new(
                            [(x - 0.46 * width, 0.0), (x + 0.46 * width, y)],
                            color.mix(0.75).filled(),
                        )
                    };
                    chart.draw_series(points.map(bar))?;
                }
                Mark::Rule | Mark::Event => {
                    let style = if series.mark == Mark::Rule {
                        color.stroke_width(2)
                    } else {
                        color.mix(0.55).stroke_width(1)
                    };
                    let rule = |(x, _): (f64, f64)| PathElement::new([(x, y.0), (x, y.1)], style);
                    chart.draw_series(points.map(rule))?;
                }
                Mark::Line | Mark::Points => {
                    // The corners of thick lines stand out far where many points make sharp peaks.
                    let width = if series.points.len() > DENSE { 1 } else { 2 };
                    chart.draw_series(LineSeries::new(points.clone(), color.stroke_width(width)))?;
                    if series.mark == Mark::Points {
                        chart.draw_series(points.map(|point| Circle::new(point, 4, color.filled())))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Of both axes, with some air above and below.
    fn ranges(&self, panel: &Panel) -> ((f64, f64), (f64, f64)) {
        let mut x = (f64::INFINITY, f64::NEG_INFINITY);
        let mut y = x;
        let widen = |range: &mut (f64, f64), value: f64| *range = (range.0.min(value), range.1.max(value));
        for series in &panel.series {
            for &(a, b) in series.points.iter().filter(|point| point.0.is_finite() && point.1.is_finite()) {
                let beside = if let Mark::Bars(width) = series.mark { width } else { 0.0 };
                widen(&mut x, a - beside);
                widen(&mut x, a + beside);
                if !matches!(series.mark, Mark::Rule | Mark::Event) {
                    widen(&mut y, b);
                }
                if beside > 0.0 {
                    widen(&mut y, 0.0);
                }
            }
        }
        let padded = |(low, high): (f64, f64), share: f64| match (low <= high, high > low) {
            (false, _) => (0.0, 1.0),
            (true, false) => (low - 0.5, low + 0.5),
            (true, true) => (low - share * (high - low), high + share * (high - low)),
        };
        let (low, high) = padded(y, 0.06);
        (padded(x, 0.0), if panel.counts() { (0.0, high) } else { (low, high) })
    }
}

/// Ticks of an upright axis, at most.
const TICKS: usize = 6;

/// How many numbers stand at the upright axis: where things are counted, none between two whole ones.
fn ticks(panel: &Panel, high: f64) -> usize {
    if panel.counts() { TICKS.min(high as usize + 1) } else { TICKS }
}

impl Panel {
    /// Bars count things.
    fn counts(&self) -> bool {
        self.series.iter().any(|series| matches!(series.mark, Mark::Bars(_)))
    }
}

/// A number as short as it is: 200, not 200.0. Ticks are multiples of 1, 2 or 5 times a power of ten, and rounding hides behind six digits.
fn label(value: f64) -> String {
    let text = format!("{value:.6}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Mark, Panel, Series, Sheet, label};

    #[test]
    fn numbers_on_axes_have_no_idle_digits() {
        let written = [200.0, -0.5, 0.1 + 0.2, -1e-12, 1450.0, 0.000_02].map(label);
        assert_eq!(written, ["200", "-0.5", "0.3", "0", "1450", "0.00002"]);
    }

    /// The numbers beside a histogram of 1 to 200 runs, read from its picture: whole, from zero on, and at least two.
    #[test]
    fn runs_are_counted_by_whole_numbers() {
        let folder = std::env::temp_dir().join(format!("prall-chart-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for most in [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 12.0, 37.0, 200.0] {
            let series =
                Series { name: "runs".to_owned(), mark: Mark::Bars(0.5), points: vec![(10.25, most)] };
            let panels = vec![Panel { title: String::new(), series: vec![series] }];
            let sheet = Sheet {
                title: String::new(),
                across: String::new(),
                panels,
                columns: 1,
                panel_height: 240,
                bands: Vec::new(),
            };
            let path = folder.join("counts.svg");
            sheet.write(&path).unwrap();
            let svg = std::fs::read_to_string(&path).unwrap();
            // Numbers at the upright axis end at it.
            let labels: Vec<f64> = svg
                .split("<text ")
                .skip(1)
                .filter(|text| text.contains("text-anchor=\"end\""))
                .filter_map(|text| text.split_once('>')?.1.split('<').next()?.trim().parse().ok())
                .collect();
            assert!(labels.len() >= 2, "{most}: {labels:?}");
            assert!(labels.iter().all(|label| label.fract() == 0.0 && *label >= 0.0), "{most}: {labels:?}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
