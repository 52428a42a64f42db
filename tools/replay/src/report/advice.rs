//! The page of an advice: what was tried and judged, what the recording is like, and its memory
//! before and after.

mod data;
mod maps;

use core::fmt::Write as _;

use super::design;
use super::page::{self, escape};
use super::timeline::Timeline;
use super::words::plural;
use crate::advise::profile::Profile;
use crate::advise::{Advice, TRAIN_PERCENT};
use crate::strategies::heap_alone;
use crate::trace::Trace;
use data::{AdviceData, JudgedData, MapData, SizeData, TriedData};

const TEMPLATE: &str = include_str!("advice/page.html");

/// The scripts, each after those that it uses.
const SCRIPTS: [&str; 12] = [
    design::DOM,
    design::UNITS,
    design::THEME,
    include_str!("script/kinds.js"),
    include_str!("script/histogram.js"),
    include_str!("script/memory_map.js"),
    include_str!("advice/pareto.js"),
    include_str!("advice/heat_map.js"),
    include_str!("advice/phases.js"),
    include_str!("advice/sites.js"),
    include_str!("advice/judged.js"),
    include_str!("advice/main.js"),
];

/// How many sizes and sites are shown.
const SIZES_MAX: usize = 12;
const SITES_MAX: usize = 20;

/// Returns the whole page.
///
/// # Errors
///
/// What `serde_json` finds wrong with the data.
pub(super) fn render(advice: &Advice, trace: &Trace) -> serde_json::Result<String> {
    let mut profile = Profile::of(trace);
    profile.sites.truncate(SITES_MAX);
    let data = data(advice, trace, &profile);
    let data = page::embed(&serde_json::to_string(&data)?);
    let style = page::STYLES.concat() + include_str!("advice/advice.css");
    Ok(page::fill(
        TEMPLATE,
        &[
            ("style", &style),
            ("script", &SCRIPTS.concat()),
            ("data", &data),
            ("verdicts", &verdicts(advice)),
            ("name", &escape(&advice.trace)),
            ("lede", &escape(&lede(advice))),
        ],
    ))
}

fn data<'a>(advice: &'a Advice, trace: &Trace, profile: &'a Profile) -> AdviceData<'a> {
    let verdict = advice.verdict;
    let choices =
        [("speed", verdict.speed), ("memory", verdict.memory), ("latency", verdict.latency)];
    let judged = advice.judged.iter().enumerate().map(|(index, one)| JudgedData {
        name: one.strategy.as_ref().map_or(&*one.name, |strategy| &*strategy.name),
        chosen: choices.iter().filter(|(_, of)| *of == index).map(|(name, _)| *name).collect(),
        ns: one.ns_above,
        time: one.time_ratio,
        bytes: one.bytes_above,
        bytes_ratio: one.bytes_ratio,
        worst_ns: one.worst_ns,
        is_sound: one.is_sound,
        is_on_front: one.is_on_front,
    });
    let tried = advice.tried.iter().filter_map(|one| {
        let figures = one.figures?;
        Some(TriedData {
            name: &one.strategy.name,
            time: figures.time_ratio,
            bytes: figures.bytes_above,
            is_finalist: one.is_finalist,
        })
    });
    let sizes = profile.sizes.iter().take(SIZES_MAX).map(|size| SizeData {
        bytes: size.bytes,
        operations: size.operations,
        brief: size.brief,
        peak_live: size.peak_live,
    });
    AdviceData {
        name: &advice.trace,
        events: advice.events,
        held_back_from: advice.held_back_from(),
        peak_live_bytes: advice.peak_live_bytes,
        judged: judged.collect(),
        tried: tried.collect(),
        order: profile.order,
        heat: &profile.heat,
        sizes: sizes.collect(),
        all_sizes: profile.sizes.len(),
        live_bytes: &profile.live_bytes,
        phases: &profile.phases,
        sites: &profile.sites,
        maps: maps(advice, trace),
    }
}

/// Returns the memory before, which is the heap's, and after, for each choice that is another.
fn maps(advice: &Advice, trace: &Trace) -> Vec<MapData> {
    let line = Timeline::of(trace);
    let heap = heap_alone();
    let mut wanted = vec![("before: the heap".to_owned(), "heap", &heap)];
    let verdict = advice.verdict;
    let mut drawn = vec![0];
    for (what, key, index) in
        [("memory", "slab", verdict.memory), ("speed", "buddy", verdict.speed)]
    {
        let strategy = advice.judged.get(index).and_then(|judged| judged.strategy.as_ref());
        if let Some(strategy) = strategy
            && !drawn.contains(&index)
        {
            drawn.push(index);
            wanted.push((format!("after: {}, for {what}", strategy.name), key, strategy));
        }
    }
    let taken = wanted
        .into_iter()
        .map(|(name, key, strategy)| (name, key, maps::take(strategy, trace, &line)));
    let taken: Vec<_> = taken.collect();
    let longest = taken.iter().flat_map(|(_, _, snapshots)| snapshots).map(|one| one.reserved());
    let longest = longest.max().unwrap_or(0);
    taken
        .into_iter()
        .map(|(name, key, snapshots)| MapData {
            name,
            key,
            moments: snapshots.into_iter().map(|one| one.finish(longest)).collect(),
        })
        .collect()
}

fn lede(advice: &Advice) -> String {
    let order = advice.profile.order;
    format!(
        "{} of {}: the first {TRAIN_PERCENT} % were searched on, the rest was held back to judge. Of a \
         space of {} strategies {} were replayed. {:.0} % of the blocks die within {} events, {:.0} % of \
         the frees take the youngest block, {:.0} % the oldest.",
        plural(advice.events, "event"),
        advice.trace,
        advice.space,
        advice.tried.len().saturating_sub(1),
        order.brief * 100.0,
        crate::advise::profile::BRIEF,
        order.last_in * 100.0,
        order.first_in * 100.0,
    )
}

fn verdicts(advice: &Advice) -> String {
    let mut list = String::new();
    let verdict = advice.verdict;
    for (what, index) in
        [("Speed", verdict.speed), ("Memory", verdict.memory), ("Bounded latency", verdict.latency)]
    {
        let sentence = match advice.judged.get(index) {
            Some(judged) if judged.strategy.is_some() => format!(
                "<code>{}</code>: {:.2} of the heap's time, {:.2} of its bytes above the live ones, worst \
                 operation {:.0} ns.",
                escape(&judged.name),
                judged.time_ratio,
                judged.bytes_ratio,
                judged.worst_ns
            ),
            _ => "The heap; nothing that was tried does better.".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(list, "      <li><h2>{what}</h2><p>{sentence}</p></li>");
    }
    list
}

#[cfg(test)]
mod tests;
