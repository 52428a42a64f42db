//! Splices mutants into a source, each selected by a switch that is read at run time, and records
//! where, so that a compiler message can be assigned to a mutant.

use core::ops::Range;
use std::collections::BTreeMap;

use super::site::{Found, Place, Shape};

/// The call that asks whether a mutant is the one that is switched on.
const SWITCH: &str = "::loligo_allocators::__mutants::m";

/// A source with mutants in it.
#[derive(Debug, Default)]
pub(super) struct Spliced {
    /// The text.
    pub(super) text: String,
    /// The bytes that belong to one mutant alone.
    pub(super) alone: Vec<(Range<usize>, usize)>,
    /// The bytes of each place, and its mutants.
    pub(super) places: Vec<(Range<usize>, Vec<usize>)>,
    /// The bytes of each function.
    pub(super) functions: Vec<Range<usize>>,
}

/// What is put in at one position: before all that begins there, and after all that ends there.
#[derive(Default)]
struct Inserted {
    /// Ends, the innermost first.
    ends: Vec<(usize, String)>,
    /// What takes no bytes of the source, then the begins, the outermost first.
    begins: Vec<(usize, Vec<Piece>)>,
}

/// A piece of what is put in, with the mutant that it belongs to alone.
type Piece = (String, Option<usize>);

/// Splices those mutants of a file in that have a number.
pub(super) fn splice(text: &str, found: &Found, numbers: &BTreeMap<usize, u32>) -> Spliced {
    let mut inserted = BTreeMap::<usize, Inserted>::new();
    let mut alive = Vec::new();
    for place in &found.places {
        let offers: Vec<(usize, u32, &str)> = place
            .offers
            .iter()
            .filter_map(|(mutant, text)| Some((*mutant, *numbers.get(mutant)?, text.as_str())))
            .collect();
        if offers.is_empty() {
            continue;
        }
        let (before, after) = pieces(place, &offers);
        let index = alive.len();
        alive.push(offers.iter().map(|(mutant, ..)| *mutant).collect::<Vec<_>>());
        inserted.entry(place.range.start).or_default().begins.push((index, before));
        if !place.range.is_empty() {
            let ends = &mut inserted.entry(place.range.end).or_default().ends;
            ends.insert(0, (index, after));
        }
    }
    render(text, found, inserted, alive)
}

fn render(
    text: &str,
    found: &Found,
    inserted: BTreeMap<usize, Inserted>,
    alive: Vec<Vec<usize>>,
) -> Spliced {
    let mut spliced = Spliced::default();
    let mut places = vec![0..0; alive.len()];
    // The places of the copied pieces of the source.
    let mut copied = vec![(0, 0)];
    let mut at = 0;
    for (position, here) in inserted {
        spliced.text.push_str(&text[at..position]);
        at = position;
        for (index, end) in here.ends {
            spliced.text.push_str(&end);
            places[index].end = spliced.text.len();
        }
        for (index, pieces) in here.begins {
            places[index].start = spliced.text.len();
            for (piece, owner) in pieces {
                let start = spliced.text.len();
                spliced.text.push_str(&piece);
                if let Some(mutant) = owner {
                    spliced.alone.push((start..spliced.text.len(), mutant));
                }
            }
            places[index].end = spliced.text.len();
        }
        copied.push((position, spliced.text.len()));
    }
    spliced.text.push_str(&text[at..]);
    spliced.places = places.into_iter().zip(alive).collect();
    // No place begins or ends where a function does.
    let moved = |position: usize| {
        let piece = copied.iter().rev().find(|(from, _)| *from <= position);
        piece.map_or(position, |(from, to)| to + (position - from))
    };
    let functions = found.functions.iter();
    spliced.functions = functions.map(|range| moved(range.start)..moved(range.end)).collect();
    spliced
}

/// Returns what is before a place and after it.
fn pieces(place: &Place, offers: &[(usize, u32, &str)]) -> (Vec<Piece>, String) {
    let mut before = Vec::new();
    let plain = |text: &str| (text.to_owned(), None);
    let asked = |number: u32| format!("{SWITCH}({number})");
    match place.shape {
        Shape::Choose => {
            before.push(plain("("));
            for (mutant, number, text) in offers {
                before.push((format!("if {} {{ ", asked(*number)), None));
                before.push(((*text).to_owned(), Some(*mutant)));
                before.push(plain(" } else "));
            }
            before.push(plain("{ "));
            (before, " })".into())
        }
        Shape::Condition => {
            before.push(plain("("));
            for (_, number, text) in offers {
                let asked = asked(*number);
                let is_true = *text == "true";
                before.push((
                    if is_true { format!("{asked} || ") } else { format!("!{asked} && ") },
                    None,
                ));
            }
            before.push(plain("("));
            (before, "))".into())
        }
        Shape::Delete => {
            let number = offers.first().map_or(0, |(_, number, _)| *number);
            (vec![plain(&format!("if !{} {{ ", asked(number)))], " }".into())
        }
        Shape::Return => {
            for (mutant, number, text) in offers {
                before.push((format!(" if {} {{ ", asked(*number)), None));
                before.push((format!("return {text};"), Some(*mutant)));
                before.push(plain(" }"));
            }
            (before, String::new())
        }
        Shape::Never => {
            let number = offers.first().map_or(0, |(_, number, _)| *number);
            (vec![plain(&format!(" if !{}", asked(number)))], String::new())
        }
    }
}
