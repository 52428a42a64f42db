//! A flame graph as an SVG: one file without scripts.
//!
//! After the flame graphs of Brendan Gregg (2011). Changes: the outermost frame is at the top, so
//! that a page is read downwards; a browser shows a frame's figures where the pointer is.

use core::fmt::Write as _;
use std::collections::HashMap;

use super::text::bytes;
use super::{Counts, Show};
use crate::report::escape;
use crate::trace::Trace;

/// What the width of a frame measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlameBy {
    /// Bytes live at the peak.
    #[default]
    Peak,
    /// Bytes live at the end.
    End,
    /// Allocations and reallocations.
    Allocations,
    /// Allocations whose free is the thread's next event.
    Temporary,
}

/// The picture's width, a row's height, the height above the rows, in pixels.
const WIDTH: f64 = 1200.0;
const ROW: usize = 18;
const TOP: usize = 44;

/// The narrowest frame that is drawn.
const NARROWEST: f64 = 0.4;

/// The width of a character.
const LETTER: f64 = 6.6;

/// Returns a flame graph of a recording: by call stacks where it has them, else by library,
/// function and call site.
///
/// # Complexity
///
/// O(origins + stacks) time and memory; frames of less than 0.4 of 1200 pixels are left out.
#[must_use]
pub fn flame(trace: &Trace, show: &Show, by: FlameBy) -> String {
    let mut tree = Tree::new();
    let names = |site| trace.sites().map_or("", |sites| sites.name(site));
    let mut of_stacks = vec![0_usize];
    if let Some(stacks) = trace.stacks() {
        // A parent comes before its children.
        for (parent, site) in (1..=stacks.count()).filter_map(|n| stacks.parent_and_site(n as u32))
        {
            let node = tree.child(of_stacks[parent as usize], function(names(site)));
            of_stacks.push(node);
        }
    }
    for origin in &show.origins {
        let weight = by.weight(&origin.counts);
        let node = match of_stacks.get(origin.stack as usize) {
            Some(&node) if origin.stack != 0 => node,
            _ => {
                let name = names(origin.site);
                let (library, _) = name.split_once('!').unwrap_or(("", name));
                let outer = if library.is_empty() { 0 } else { tree.child(0, library) };
                let inner = tree.child(outer, function(name));
                if function(name) == name { inner } else { tree.child(inner, name) }
            }
        };
        tree.nodes[node].weight += weight;
    }
    tree.sum();
    draw(&tree, &title(show, by, tree.nodes[0].weight), by)
}

impl FlameBy {
    fn weight(self, counts: &Counts) -> u64 {
        match self {
            Self::Peak => counts.peak_bytes,
            Self::End => counts.end_bytes,
            Self::Allocations => counts.allocations,
            Self::Temporary => counts.temporary,
        }
    }

    fn amount(self, weight: u64) -> String {
        match self {
            Self::Peak | Self::End => bytes(weight),
            Self::Allocations => format!("{weight} allocations"),
            Self::Temporary => format!("{weight} temporary allocations"),
        }
    }
}

fn title(show: &Show, by: FlameBy, all: u64) -> String {
    let what = match by {
        FlameBy::Peak => "live at the peak",
        FlameBy::End => "live at the end",
        FlameBy::Allocations | FlameBy::Temporary => "in all",
    };
    format!("{}: {} {what}", show.name, by.amount(all))
}

/// Returns a site's name without its offset.
fn function(name: &str) -> &str {
    let Some((function, offset)) = name.rsplit_once(['+', '@']) else { return name };
    // Without a symbol the offset is all that there is.
    if offset.starts_with("0x") && name.contains('!') { function } else { name }
}

/// A frame: its parent, name and weight, with that of its children after [`Tree::sum`].
struct Node<'n> {
    parent: usize,
    name: &'n str,
    weight: u64,
    depth: usize,
}

/// Frames; the first is the whole.
struct Tree<'n> {
    nodes: Vec<Node<'n>>,
    by_name: HashMap<(usize, &'n str), usize>,
}

impl<'n> Tree<'n> {
    fn new() -> Self {
        let all = Node { parent: 0, name: "all", weight: 0, depth: 0 };
        Self { nodes: vec![all], by_name: HashMap::new() }
    }

    fn child(&mut self, parent: usize, name: &'n str) -> usize {
        *self.by_name.entry((parent, name)).or_insert_with(|| {
            let depth = self.nodes[parent].depth + 1;
            self.nodes.push(Node { parent, name, weight: 0, depth });
            self.nodes.len() - 1
        })
    }

    /// Adds the weight of each frame to those that it is in.
    fn sum(&mut self) {
        for index in (1..self.nodes.len()).rev() {
            let Node { parent, weight, .. } = self.nodes[index];
            self.nodes[parent].weight += weight;
        }
    }
}

fn draw(tree: &Tree<'_>, title: &str, by: FlameBy) -> String {
    let all = tree.nodes[0].weight.max(1) as f64;
    // Where each frame begins, and where its next child does.
    let mut starts = vec![0.0; tree.nodes.len()];
    let mut next = vec![0.0; tree.nodes.len()];
    let mut order: Vec<usize> = (1..tree.nodes.len()).collect();
    order.sort_by_key(|&index| (tree.nodes[index].depth, tree.nodes[index].name));
    let mut frames = String::new();
    let mut deepest = 0;
    for index in core::iter::once(0).chain(order) {
        let node = &tree.nodes[index];
        let width = node.weight as f64 / all * WIDTH;
        if index > 0 {
            starts[index] = next[node.parent];
            next[node.parent] += width;
        }
        next[index] = starts[index];
        if width >= NARROWEST {
            deepest = deepest.max(node.depth);
            frame(&mut frames, node, (starts[index], width), (all, by));
        }
    }
    let height = TOP + (deepest + 1) * ROW + 10;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"monospace\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#faf8f4\"/>\n\
         <text x=\"8\" y=\"26\" font-size=\"15\" fill=\"#17212b\">{}</text>\n{frames}</svg>\n",
        safe(title)
    )
}

fn frame(
    text: &mut String,
    node: &Node<'_>,
    (start, width): (f64, f64),
    (all, by): (f64, FlameBy),
) {
    let name = if node.name.is_empty() { "(unknown call site)" } else { node.name };
    let share = node.weight as f64 * 100.0 / all;
    let top = TOP + node.depth * ROW;
    // Writing to a text cannot fail.
    let _ = write!(
        text,
        "<g><title>{}: {}, {share:.1} %</title><rect x=\"{start:.2}\" y=\"{top}\" \
         width=\"{width:.2}\" height=\"{}\" rx=\"2\" fill=\"{}\"/>",
        safe(name),
        by.amount(node.weight),
        ROW - 1,
        colour(name)
    );
    let letters = ((width - 6.0) / LETTER).max(0.0) as usize;
    if letters >= 3 {
        let short: String = match name.chars().count() {
            count if count > letters => {
                name.chars().take(letters - 2).chain("..".chars()).collect()
            }
            _ => name.to_owned(),
        };
        let (x, y) = (start + 3.0, top + 13);
        let _ =
            write!(text, "<text x=\"{x:.2}\" y=\"{y}\" fill=\"#17212b\">{}</text>", safe(&short));
    }
    text.push_str("</g>\n");
}

/// Returns a colour of a name, the same in each picture: one of the warm ones, of even brightness.
fn colour(name: &str) -> String {
    let sum = name
        .bytes()
        .fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("hsl({},{}%,74%)", 12 + sum % 42, 62 + sum / 64 % 24)
}

/// Returns text as XML has it; XML cannot hold control characters in any form.
fn safe(text: &str) -> String {
    let is_no_letter =
        |letter: char| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}');
    escape(&text.replace(is_no_letter, "\u{fffd}"))
}
