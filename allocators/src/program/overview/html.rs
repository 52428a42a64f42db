//! An overview as a page: a treemap and a table of exact numbers.

use core::fmt;

use super::layout::{Layout, Place};
use super::text::{Bytes, Grouped, InHtml};
use super::tree::{Below, Step, Tree};

#[cfg(test)]
mod tests;

/// Width over height of the whole map, as in the style sheet for a wide screen.
const ASPECT: f64 = 1.9;

/// Levels whose shape is kept.
const DEPTH: usize = 64;

/// The columns of the table after the name.
const HEADS: [&str; 6] = ["live", "requested", "granted", "reserved", "peak", "budget"];

/// An overview as a page; made by [`Overview::html`](super::Overview::html).
#[derive(Clone, Copy)]
pub struct OverviewHtml<'a> {
    pub(super) tree: Tree<'a>,
}

impl fmt::Display for OverviewHtml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(concat!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
            "<title>Memory overview</title>\n<style>\n",
            include_str!("page.css"),
            "</style>\n</head>\n<body>\n<h1>Memory overview</h1>\n",
            "<p>Each area is what an allocator has reserved. It contains the allocators over ",
            "it, <span class=\"key used\"></span>memory granted to other users, ",
            "and <span class=\"key free\"></span>free memory.</p>\n",
            "<div class=\"map\" role=\"img\" aria-label=\"Treemap of the table below\">\n",
        ))?;
        let mut shapes = Shapes([ASPECT; DEPTH]);
        self.tree.walk(|step| match step {
            Step::Enter { index, depth } => self.open_box(f, index, depth, &mut shapes),
            Step::Leave => f.write_str("</div></div>\n"),
        })?;
        f.write_str("</div>\n")?;
        self.write_table(f)?;
        f.write_str("</body>\n</html>\n")
    }
}

/// The shapes of the rectangles around the current one, by depth. Deeper ones use that of the last
/// level: their contents are too small to distinguish.
struct Shapes([f64; DEPTH]);

impl Shapes {
    fn at(&mut self, depth: usize) -> &mut f64 {
        &mut self.0[depth.min(DEPTH - 1)]
    }
}

/// The contents of an allocator's rectangle, or of the whole map.
#[derive(Clone, Copy)]
struct Inside<'a> {
    tree: Tree<'a>,
    below: Below,
    /// Granted to users that are not listed.
    used: usize,
    free: usize,
}

impl<'a> Inside<'a> {
    fn of(tree: Tree<'a>, parent: Option<usize>) -> Self {
        let below = tree.below(parent);
        let Some(at) = parent else {
            return Self { tree, below, used: 0, free: 0 };
        };
        let children = (0..tree.len()).filter(|&index| tree.is_one(index, below));
        let taken = children.map(|index| tree.get(index).stats().reserved);
        let stats = tree.get(at).stats();
        // Children can report more reserved bytes than were granted, if they also have other memory
        // or if an allocator is listed twice; then nothing is left over, and they share the area.
        let used = stats.granted.saturating_sub(taken.fold(0, usize::saturating_add));
        Self { tree, below, used, free: stats.reserved.saturating_sub(stats.granted) }
    }

    /// The numbers of the two parts that are not allocators.
    fn used_thing(self) -> usize {
        self.tree.len()
    }

    fn free_thing(self) -> usize {
        self.tree.len() + 1
    }

    /// Returns the place of a part in a rectangle of that shape.
    fn place(self, thing: usize, aspect: f64) -> Option<Place> {
        let weight = |thing: usize| {
            if thing == self.used_thing() {
                self.used as u64
            } else if thing == self.free_thing() {
                self.free as u64
            } else if self.tree.is_one(thing, self.below) {
                // An allocator with nothing reserved is still shown.
                (self.tree.get(thing).stats().reserved as u64).max(1)
            } else {
                0
            }
        };
        Layout { count: self.tree.len() + 2, weight: &weight, aspect }.place(thing)
    }
}

impl OverviewHtml<'_> {
    /// Writes a rectangle and its parts other than allocators; two `div` stay open.
    fn open_box(
        &self,
        f: &mut fmt::Formatter<'_>,
        index: usize,
        depth: usize,
        shapes: &mut Shapes,
    ) -> fmt::Result {
        let allocator = self.tree.get(index);
        let stats = allocator.stats();
        let name = InHtml(allocator.name());
        let around = *shapes.at(depth);
        let outside = Inside::of(self.tree, self.tree.parent(index));
        // Only an allocator created since then has no place; it is drawn over the others.
        let place = outside.place(index, around).unwrap_or(Place::WHOLE);
        // Clamped, or the layout inside a sliver would lose all precision.
        let aspect = (around * place.width / place.height).clamp(0.01, 100.0);
        *shapes.at(depth + 1) = aspect;
        write!(f, "<div class=\"box\" style=\"{};--h:{}\" title=\"", Style(place), hue(index))?;
        write!(f, "{name}: {} live, ", Grouped(stats.live))?;
        write!(f, "{} granted of {} reserved", Bytes(stats.granted), Bytes(stats.reserved))?;
        write!(f, ", peak {}", Bytes(stats.peak_granted))?;
        if let Some(budget) = allocator.budget() {
            write!(f, ", budget {}", Bytes(budget))?;
        }
        write!(f, "\"><div class=\"label\"><b>{name}</b>")?;
        write!(f, "<span>{}</span></div><div class=\"in\">", Bytes(stats.reserved))?;
        let inside = Inside::of(self.tree, Some(index));
        for (thing, class, bytes, word) in [
            (inside.used_thing(), "used", inside.used, "granted"),
            (inside.free_thing(), "free", inside.free, "free"),
        ] {
            if let Some(place) = inside.place(thing, aspect) {
                let bytes = Bytes(bytes);
                write!(f, "<div class=\"{class}\" style=\"{}\"", Style(place))?;
                write!(f, " title=\"{name}: {bytes} {word}\">")?;
                write!(f, "<span class=\"part\">{bytes} {word}</span></div>")?;
            }
        }
        f.write_str("\n")
    }

    fn write_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">allocator</th>")?;
        for head in HEADS {
            write!(f, "<th scope=\"col\">{head}</th>")?;
        }
        f.write_str("</tr></thead>\n<tbody>\n")?;
        let mut all_exact = true;
        self.tree.each(|index, depth| {
            all_exact &= self.tree.get(index).stats().exact;
            self.write_row(f, index, depth)
        })?;
        f.write_str("</tbody>\n</table></div>\n<p>Bytes. Peak is the most granted at once")?;
        if !all_exact {
            f.write_str("; ~ requested bytes are not recorded there, so these are granted bytes")?;
        }
        f.write_str("; a budget's percentage is its granted part now.</p>\n")
    }

    fn write_row(&self, f: &mut fmt::Formatter<'_>, index: usize, depth: usize) -> fmt::Result {
        let allocator = self.tree.get(index);
        let stats = allocator.stats();
        // Deep ones are not indented further, so that numbers stay visible.
        let indent = 0.8 + 1.1 * depth.min(8) as f64;
        write!(f, "<tr><th scope=\"row\" style=\"padding-left:{indent:.1}rem\">")?;
        write!(f, "<i style=\"--h:{}\"></i>{}</th>", hue(index), InHtml(allocator.name()))?;
        let [live, requested, granted, reserved, peak, budget] = HEADS;
        let about = if stats.exact { "" } else { "~" };
        write!(f, "<td data-head=\"{live}\">{}</td>", Grouped(stats.live))?;
        write!(f, "<td data-head=\"{requested}\">{about}{}</td>", Grouped(stats.requested))?;
        for (head, bytes) in
            [(granted, stats.granted), (reserved, stats.reserved), (peak, stats.peak_granted)]
        {
            write!(f, "<td data-head=\"{head}\">{}</td>", Grouped(bytes))?;
        }
        write!(f, "<td data-head=\"{budget}\">")?;
        match allocator.budget() {
            Some(budget) => {
                let share = stats.granted as u128 * 100 / budget.max(1) as u128;
                write!(f, "{} <small>({share}&nbsp;%)</small>", Grouped(budget))?;
            }
            None => f.write_str("-")?,
        }
        f.write_str("</td></tr>\n")
    }
}

/// A place as CSS.
struct Style(Place);

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { left, top, width, height } = self.0;
        write!(f, "left:{left:.3}%;top:{top:.3}%;width:{width:.3}%;height:{height:.3}%")
    }
}

/// Returns the hue of an allocator: the golden angle apart from the one listed before it.
fn hue(index: usize) -> usize {
    (205 + index % 360 * 137) % 360
}
