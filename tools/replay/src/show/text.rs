//! What a terminal gets.

use core::cmp::Reverse;
use core::fmt::Write as _;

use super::safe_text::{ending, printable};
use super::{Counts, Show, SiteUse, Span, StackUse};

/// How many characters of a site's name are printed.
const NAME_LETTERS: usize = 100;

/// How many frames of a stack are printed.
const FRAMES_MAX: usize = 16;

/// One stack is printed for as many entries of the other lists, as it takes as many lines.
const LINES_EACH: usize = 3;

impl Show {
    /// Returns the figures as text, of each list the first `top`.
    #[must_use]
    pub fn text(&self, top: usize) -> String {
        let mut text = String::new();
        self.head(&mut text);
        let by_bytes = |(bytes, _)| bytes;
        let by_number = |(_, blocks)| blocks;
        self.sites_by(&mut text, top, "Live at the end, by call site", by_bytes, &|of| {
            (of.end_bytes, of.end_blocks)
        });
        self.sites_by(&mut text, top, "Live at the peak, by call site", by_bytes, &|of| {
            (of.peak_bytes, of.peak_blocks)
        });
        self.stacks(&mut text, top);
        self.sites_by(&mut text, top, "Most allocations, by call site", by_number, &|of| {
            (of.requested_bytes, of.allocations)
        });
        let temporary = "Temporary: freed by the thread's next event";
        self.sites_by(&mut text, top, temporary, by_number, &|of| {
            (of.temporary_bytes, of.temporary)
        });
        let lifetimes = &self.lifetimes;
        histogram(&mut text, "Lifetimes in events", &lifetimes.by_events, &|count| {
            format!("{count}")
        });
        histogram(&mut text, "Lifetimes in time", &lifetimes.by_time_ns, &time);
        self.threads(&mut text, top);
        text
    }

    fn head(&self, text: &mut String) {
        let of = &self.totals;
        line(text, format_args!("recording        {}", printable(&self.name)));
        if let Some(program) = &self.program {
            line(text, format_args!("program          {}", printable(program)));
        }
        if self.is_cut {
            line(text, format_args!("                 its end is missing; what is here is valid"));
        }
        if let Some(why) = &self.stopped {
            line(text, format_args!("ends early       the program went on: {}", printable(why)));
        }
        let threads = match self.threads.len() {
            1 => "1 thread".to_owned(),
            count => format!("{count} threads"),
        };
        line(text, format_args!("events           {} of {threads}", of.events));
        line(
            text,
            format_args!(
                "allocations      {}, reallocations {}, frees {}; {} requested",
                of.allocations,
                of.reallocations,
                of.frees,
                bytes(of.requested_bytes)
            ),
        );
        let share = percent(of.temporary, of.allocations);
        line(text, format_args!("temporary        {} allocations, {share}", of.temporary));
        let when = |at: Option<u64>| at.map_or_else(String::new, |at| format!(", at {}", time(at)));
        line(
            text,
            format_args!(
                "peak             {} in {} blocks, at event {}{}",
                bytes(of.peak_bytes),
                of.peak_blocks,
                of.peak_event,
                when(of.peak_ns)
            ),
        );
        line(
            text,
            format_args!(
                "live at the end  {} in {} blocks{}",
                bytes(of.end_bytes),
                of.end_blocks,
                when(of.end_ns)
            ),
        );
    }

    /// Prints the sites with the most of something; `of` returns its bytes and blocks, and `by`
    /// which of the two decides.
    fn sites_by(
        &self,
        text: &mut String,
        top: usize,
        title: &str,
        by: fn((u64, u64)) -> u64,
        of: &dyn Fn(&Counts) -> (u64, u64),
    ) {
        let weight = |site: &SiteUse| by(of(&site.counts));
        let mut sites: Vec<&SiteUse> = self.sites.iter().filter(|site| weight(site) > 0).collect();
        sites.sort_by_key(|site| (Reverse(weight(site)), site.site));
        let all: u64 = sites.iter().map(|site| weight(site)).fold(0, u64::saturating_add);
        line(text, format_args!("\n{title}"));
        if sites.is_empty() {
            line(text, format_args!("  nothing"));
        }
        for site in sites.iter().take(top) {
            let (bytes_of, blocks) = of(&site.counts);
            line(
                text,
                format_args!(
                    "{:>12} {:>10} blocks {:>7}  {}",
                    bytes(bytes_of),
                    blocks,
                    percent(weight(site), all),
                    shown(&site.name)
                ),
            );
        }
        more(text, sites.len(), top, "sites");
    }

    fn stacks(&self, text: &mut String, top: usize) {
        if !self.has_stacks {
            return;
        }
        let of_peak = |of: &StackUse| (of.counts.peak_bytes, of.counts.peak_blocks);
        let of_end = |of: &StackUse| (of.counts.end_bytes, of.counts.end_blocks);
        stacks(text, top, "Live at the end, by call stack", &self.stacks, &of_end);
        stacks(text, top, "Live at the peak, by call stack", &self.stacks, &of_peak);
    }

    fn threads(&self, text: &mut String, top: usize) {
        line(
            text,
            format_args!(
                "\nThreads\n{:>8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>22}",
                "thread",
                "events",
                "allocations",
                "requested",
                "peak",
                "frees",
                "of others' blocks"
            ),
        );
        let mut threads: Vec<_> = self.threads.iter().collect();
        threads.sort_by_key(|of| (Reverse(of.events), of.thread));
        for of in threads.iter().take(top) {
            line(
                text,
                format_args!(
                    "{:>8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>22}",
                    of.thread,
                    of.events,
                    of.allocations,
                    bytes(of.requested_bytes),
                    bytes(of.peak_bytes),
                    of.frees,
                    of.foreign_frees
                ),
            );
        }
        more(text, threads.len(), top, "threads");
    }
}

fn stacks(
    text: &mut String,
    top: usize,
    title: &str,
    all: &[StackUse],
    of: &dyn Fn(&StackUse) -> (u64, u64),
) {
    let mut stacks: Vec<&StackUse> = all.iter().filter(|stack| of(stack).0 > 0).collect();
    stacks.sort_by_key(|stack| Reverse(of(stack).0));
    line(text, format_args!("\n{title}"));
    let top = top.div_ceil(LINES_EACH);
    for stack in stacks.iter().take(top) {
        let (bytes_of, blocks) = of(stack);
        line(text, format_args!("{:>12} {blocks:>10} blocks", bytes(bytes_of)));
        for frame in stack.frames.iter().take(FRAMES_MAX) {
            line(text, format_args!("{:>16}{}", "", shown(frame)));
        }
        let left = stack.frames.len().saturating_sub(FRAMES_MAX);
        if left > 0 {
            line(text, format_args!("{:>16}and {left} outer frames", ""));
        }
    }
    more(text, stacks.len(), top, "stacks");
}

fn histogram(text: &mut String, title: &str, spans: &[Span], name: &dyn Fn(u64) -> String) {
    /// Characters of the longest bar.
    const BAR: u64 = 40;
    let most = spans.iter().map(|span| span.blocks).max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let all: u64 = spans.iter().map(|span| span.blocks).sum();
    line(text, format_args!("\n{title}, of freed blocks"));
    let mut below = 0;
    for span in spans {
        let label = match span.up_to {
            Some(up_to) => format!("up to {}", name(up_to)),
            None => format!("over {}", name(below)),
        };
        below = span.up_to.unwrap_or(below);
        let marks = "#".repeat((span.blocks * BAR).div_ceil(most) as usize);
        let share = percent(span.blocks, all);
        line(text, format_args!("{label:>16} {:>10} {share:>7}  {marks}", span.blocks));
    }
}

/// Appends a line, without blanks at its end.
fn line(text: &mut String, line: core::fmt::Arguments<'_>) {
    // Writing to a text cannot fail.
    let _ = write!(text, "{line}");
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

fn more(text: &mut String, all: usize, top: usize, what: &str) {
    if all > top {
        line(text, format_args!("  and {} more {what}; --top N prints more", all - top));
    }
}

fn shown(name: &str) -> String {
    match name {
        "" => "(unknown call site)".to_owned(),
        name => ending(&printable(name), NAME_LETTERS),
    }
}

fn percent(part: u64, all: u64) -> String {
    format!("{:.1} %", part as f64 * 100.0 / all.max(1) as f64)
}

/// Returns a size for a reader.
pub(super) fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        10_485_760..10_737_418_240 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

/// Returns a time for a reader.
fn time(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{} us", round(ns, 1e3)),
        1_000_000..1_000_000_000 => format!("{} ms", round(ns, 1e6)),
        _ => format!("{} s", round(ns, 1e9)),
    }
}

/// Returns a number of units, whole where it is whole.
fn round(ns: u64, unit: f64) -> String {
    let text = format!("{:.2}", ns as f64 / unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
