//! Pictures of lines and dots, as SVG.

use core::fmt::Write as _;

/// The width of a picture; pages scale it.
const WIDTH: f32 = 1000.0;

/// The room left of a picture, for the numbers of its axis.
const LEFT: f32 = 64.0;

/// The room below, and above.
const BELOW: f32 = 22.0;
const ABOVE: f32 = 8.0;

/// The classes of lines, in order: each has a colour and a pattern.
const LINES: [&str; 4] = ["line-heap", "line-slab", "line-buddy", "line-live"];

/// A picture under work, whose places are in units of its data.
pub(crate) struct Chart {
    svg: String,
    height: f32,
    x: (f32, f32),
    y: (f32, f32),
}

impl Chart {
    /// Begins a picture of `what` with both axes: `x` and `y` are from the least to the greatest number.
    pub(crate) fn new(what: &str, height: f32, x: (f32, f32), y: (f32, f32)) -> Self {
        let wide = |(low, high): (f32, f32)| (low, if high > low { high } else { low + 1.0 });
        let mut chart = Self { svg: String::new(), height, x: wide(x), y: wide(y) };
        let what = loligo_replay::report::escape(what);
        let _ = write!(
            chart.svg,
            "<div class=\"chart\"><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{what}\">"
        );
        for step in 0..=4 {
            let part = step as f32 / 4.0;
            let value = chart.y.0 + part * (chart.y.1 - chart.y.0);
            let (_, y) = chart.place(chart.x.0, value);
            let _ = write!(
                chart.svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{:.1}\" \
                 y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                y + 4.0,
                number(value)
            );
            let value = chart.x.0 + part * (chart.x.1 - chart.x.0);
            let (x, _) = chart.place(value, chart.y.0);
            let anchor = ["start", "middle", "middle", "middle", "end"][step];
            let _ = write!(
                chart.svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                height - 5.0,
                number(value)
            );
        }
        chart
    }

    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        let across = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = (y - self.y.0) / (self.y.1 - self.y.0);
        let room = self.height - ABOVE - BELOW;
        (LEFT + across * (WIDTH - LEFT), ABOVE + (1.0 - up.clamp(0.0, 1.0)) * room)
    }

    /// Draws a line through points; `kind` is one of four.
    pub(crate) fn line(&mut self, kind: usize, points: impl Iterator<Item = (f32, f32)>) {
        let mut path = String::new();
        for (at, (x, y)) in points.enumerate() {
            let (x, y) = self.place(x, y);
            let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" });
        }
        let _ = write!(self.svg, "<path class=\"{}\" d=\"{path}\"/>", LINES[kind % LINES.len()]);
    }

    /// Draws a level over the whole width.
    pub(crate) fn level(&mut self, y: f32) {
        let (_, y) = self.place(self.x.0, y);
        let _ = write!(
            self.svg,
            "<line class=\"guide\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
        );
    }

    /// Draws dots.
    pub(crate) fn dots(
        &mut self,
        kind: usize,
        radius: f32,
        points: impl Iterator<Item = (f32, f32)>,
    ) {
        let kind = LINES[kind % LINES.len()].replace("line", "dot");
        let _ = write!(self.svg, "<g class=\"{kind}\">");
        for (x, y) in points {
            let (x, y) = self.place(x, y);
            let _ = write!(self.svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
        }
        self.svg.push_str("</g>");
    }

    /// Returns the picture.
    pub(crate) fn finish(self) -> String {
        self.svg + "</svg></div>"
    }
}

/// Returns a number as an axis has it.
fn number(value: f32) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        size if size >= 0.01 => format!("{value:.3}"),
        _ => format!("{value:.5}"),
    }
}
