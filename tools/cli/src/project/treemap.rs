//! Rectangles whose areas are numbers, as SVG.

use core::fmt::Write as _;

use loligo_replay::report::escape;

/// The size of the picture; pages scale it.
const SIZE: [f64; 2] = [1000.0, 460.0];

/// How many colours there are; what comes after has the last one.
const COLOURS: usize = 8;

/// What is drawn as one area, with its parts.
pub(super) struct Group {
    pub(super) name: String,
    /// Names and bytes, those with most bytes first.
    pub(super) parts: Vec<(String, u64)>,
}

impl Group {
    pub(super) fn bytes(&self) -> u64 {
        self.parts.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// A place in the picture: where it begins, and how wide and high it is.
type Area = [f64; 4];

/// Returns a picture of groups, those with most bytes first, each with its parts.
///
/// Areas are cut into rows as nearly square as they come, after Bruls, Huizing and van Wijk, "Squarified
/// treemaps" (2000).
pub(super) fn treemap(what: &str, groups: &[Group]) -> String {
    let [width, height] = SIZE;
    let what = escape(what);
    let mut svg = format!(
        "<div class=\"treemap\"><svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{what}\">"
    );
    let sizes: Vec<f64> = groups.iter().map(|group| group.bytes() as f64).collect();
    for (at, area) in squares(&sizes, [0.0, 0.0, width, height]).into_iter().enumerate() {
        let group = &groups[at];
        let sizes: Vec<f64> = group.parts.iter().map(|(_, bytes)| *bytes as f64).collect();
        let [x, y, width, height] = inset(area, 1.0);
        for ((name, bytes), area) in group.parts.iter().zip(squares(&sizes, [x, y, width, height]))
        {
            rectangle(&mut svg, at.min(COLOURS - 1), inset(area, 0.4), (name, *bytes));
        }
        label(&mut svg, area, &group.name);
    }
    svg.push_str("</svg></div>");
    svg
}

/// Cuts an area into one for each size, in their order.
fn squares(sizes: &[f64], [mut x, mut y, mut width, mut height]: Area) -> Vec<Area> {
    let mut areas = Vec::with_capacity(sizes.len());
    let total: f64 = sizes.iter().sum();
    // Bytes as area.
    let scale = if total > 0.0 { width * height / total } else { 0.0 };
    let mut rest = sizes;
    while !rest.is_empty() {
        let side = width.min(height).max(1e-6);
        let count = row(rest, side, scale);
        let (first, others) = rest.split_at(count);
        rest = others;
        let sum = first.iter().sum::<f64>() * scale;
        let deep =
            if rest.is_empty() { width.max(height) } else { (sum / side).min(width.max(height)) };
        let mut along = 0.0;
        for size in first {
            let part = if sum > 0.0 { size * scale / sum * side } else { 0.0 };
            areas.push(match width >= height {
                true => [x, y + along, deep, part],
                false => [x + along, y, part, deep],
            });
            along += part;
        }
        match width >= height {
            true => (x, width) = (x + deep, width - deep),
            false => (y, height) = (y + deep, height - deep),
        }
    }
    areas
}

/// Returns how many of the next sizes make a row along a side that is as nearly of squares as it may be: one more
/// would be worse.
fn row(sizes: &[f64], side: f64, scale: f64) -> usize {
    let worst = |count: usize| {
        let row = &sizes[..count];
        let sum = row.iter().sum::<f64>() * scale;
        let of = |size: &f64| {
            let (deep, along) = (sum / side, size * scale / sum * side);
            (deep / along).max(along / deep)
        };
        row.iter().map(of).fold(1.0, f64::max)
    };
    let mut count = 1;
    while count < sizes.len() && worst(count + 1) <= worst(count) {
        count += 1;
    }
    count
}

fn inset([x, y, width, height]: Area, by: f64) -> Area {
    [x + by, y + by, (width - 2.0 * by).max(0.0), (height - 2.0 * by).max(0.0)]
}

fn rectangle(svg: &mut String, colour: usize, area: Area, (name, bytes): (&str, u64)) {
    let [x, y, width, height] = area;
    if width < 0.2 || height < 0.2 {
        return;
    }
    let name = escape(name);
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<rect class=\"c{colour}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">\
         <title>{name}: {}</title></rect>",
        size(bytes)
    );
}

/// Writes the name of a group into its area, if there is room for it.
fn label(svg: &mut String, [x, y, width, height]: Area, name: &str) {
    let wide = name.chars().count() as f64 * 7.5 + 12.0;
    if width > wide && height > 22.0 {
        let name = escape(name);
        let _ = write!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{name}</text>", x + 7.0, y + 18.0);
    }
}

/// Returns a number of bytes for people.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_in_proportion_and_within_the_picture() {
        let sizes = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0];
        let areas = squares(&sizes, [0.0, 0.0, 6.0, 4.0]);
        assert_eq!(areas.len(), sizes.len());
        for ([x, y, width, height], size) in areas.into_iter().zip(sizes) {
            assert!((width * height - size).abs() < 1e-9, "{width} by {height} for {size}");
            assert!(x >= 0.0 && y >= 0.0 && x + width < 6.001 && y + height < 4.001);
        }
    }

    #[test]
    fn nothing_and_no_bytes_are_drawn_as_nothing() {
        assert!(squares(&[], [0.0, 0.0, 6.0, 4.0]).is_empty());
        let areas = squares(&[0.0, 0.0], [0.0, 0.0, 6.0, 4.0]);
        assert!(areas.iter().flatten().all(|number| number.is_finite()), "{areas:?}");
    }
}
