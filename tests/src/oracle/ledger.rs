//! The counters of an allocator as they must be.

use core::alloc::Layout;

use loligo_allocators::Stats;

use crate::rule::{Rule, Violation, require};

/// What the counters were after the last step.
#[derive(Debug)]
pub(super) struct Ledger {
    last: Stats,
    counts: bool,
}

impl Ledger {
    /// Starts with the counters as they are; with `counts` false all of them are accepted.
    pub(super) fn new(stats: Stats, counts: bool) -> Self {
        Self { last: stats, counts }
    }

    /// Checks the counters after an allocation was served; returns what it raised `requested` and
    /// `granted` by.
    pub(super) fn raise(
        &mut self,
        now: &Stats,
        layout: Layout,
        bytes: usize,
        what: &str,
    ) -> Result<(usize, usize), Violation> {
        let asked = asked(now, layout, bytes);
        if !self.counts {
            return Ok((asked.0, bytes));
        }
        self.check_order(now, what)?;
        let last = self.last;
        expect("live", now.live, last.live + 1, what)?;
        expect("granted", now.granted, last.granted + bytes, what)?;
        let requested = now.requested.wrapping_sub(last.requested);
        require(requested == asked.0 || requested == asked.1, Rule::StatsRaised, || {
            format!(
                "{what}({layout:?}) took requested from {} to {}",
                last.requested, now.requested
            )
        })?;
        let total = now.requested_total.wrapping_sub(last.requested_total);
        let size = layout.size() as u64;
        require(
            now.allocations_total == last.allocations_total + 1
                && now.granted_total == last.granted_total + bytes as u64
                && (total == size || total == size.max(1)),
            Rule::Totals,
            || format!("{what}({layout:?}) took the totals from {last:?} to {now:?}"),
        )?;
        self.check_peaks(now, (0, 0), what)?;
        self.last = *now;
        Ok((requested, bytes))
    }

    /// Checks the counters after a block that had raised them by `had` changed its size, with or
    /// without a move.
    pub(super) fn change(
        &mut self,
        now: &Stats,
        had: (usize, usize),
        layout: Layout,
        bytes: usize,
        what: &str,
    ) -> Result<(usize, usize), Violation> {
        let asked = asked(now, layout, bytes);
        if !self.counts {
            return Ok((asked.0, bytes));
        }
        self.check_order(now, what)?;
        let last = self.last;
        expect("live", now.live, last.live, what)?;
        expect("granted", now.granted, last.granted - had.1 + bytes, what)?;
        let requested = now.requested.wrapping_sub(last.requested - had.0);
        require(requested == asked.0 || requested == asked.1, Rule::StatsRaised, || {
            format!(
                "{what} to {layout:?} of a block that counted {} took requested from {} to {}",
                had.0, last.requested, now.requested
            )
        })?;
        self.check_grown(now, what)?;
        // A move holds both blocks for a moment, and the peaks may have seen that.
        self.check_peaks(now, (requested, bytes), what)?;
        self.last = *now;
        Ok((requested, bytes))
    }

    /// Checks the counters after a free of a block that had raised them by `had`.
    pub(super) fn lower(
        &mut self,
        now: &Stats,
        had: (usize, usize),
        what: &str,
    ) -> Result<(), Violation> {
        if !self.counts {
            return Ok(());
        }
        self.check_order(now, what)?;
        self.check_grown(now, what)?;
        let wanted = Stats {
            live: self.last.live - 1,
            requested: self.last.requested - had.0,
            granted: self.last.granted - had.1,
            // A free may give memory back to the backing.
            reserved: now.reserved,
            ..self.last
        };
        require(*now == wanted && now.reserved <= self.last.reserved, Rule::StatsLowered, || {
            format!("{what} of a block that counted {had:?}: {}", difference(&wanted, now))
        })?;
        self.last = *now;
        Ok(())
    }

    /// Checks that nothing has changed since the last step. The reserved bytes may have fallen,
    /// since an allocator may free what it keeps before it refuses; their peak may have risen,
    /// since memory may be taken and freed before a request is refused.
    pub(super) fn quiet(&mut self, now: &Stats, what: &str) -> Result<(), Violation> {
        if !self.counts {
            return Ok(());
        }
        let last = self.last;
        let (reserved, peak_reserved) = (now.reserved, now.peak_reserved);
        let wanted = Stats { reserved, peak_reserved, ..last };
        require(
            *now == wanted && reserved <= last.reserved && peak_reserved >= last.peak_reserved,
            Rule::StatsOnRefusal,
            || format!("{what} has changed the counters: {}", difference(&wanted, now)),
        )?;
        self.last = *now;
        Ok(())
    }

    /// Checks that `requested <= granted <= reserved`.
    pub(super) fn check_order(&self, now: &Stats, what: &str) -> Result<(), Violation> {
        require(
            !self.counts || (now.requested <= now.granted && now.granted <= now.reserved),
            Rule::StatsOrder,
            || format!("after {what} the counters are out of order: {now:?}"),
        )?;
        require(!self.counts || now.exact || now.requested == now.granted, Rule::StatsOrder, || {
            format!("after {what} requested is not granted, though not exact: {now:?}")
        })
    }

    /// Checks that the totals have not shrunk.
    fn check_grown(&self, now: &Stats, what: &str) -> Result<(), Violation> {
        let last = &self.last;
        require(
            now.allocations_total >= last.allocations_total
                && now.requested_total >= last.requested_total
                && now.granted_total >= last.granted_total,
            Rule::Totals,
            || format!("{what} took the totals from {last:?} to {now:?}"),
        )
    }

    /// Checks the peaks; `both` is what a moved block may have added to them while it was in two
    /// places.
    fn check_peaks(&self, now: &Stats, both: (usize, usize), what: &str) -> Result<(), Violation> {
        let last = &self.last;
        let requested = last.peak_requested.max(now.requested);
        let granted = last.peak_granted.max(now.granted);
        let requested_most = requested.max(last.requested + both.0);
        let granted_most = granted.max(last.granted + both.1);
        require(
            (requested..=requested_most).contains(&now.peak_requested)
                && (granted..=granted_most).contains(&now.peak_granted)
                && now.peak_reserved >= last.peak_reserved.max(now.reserved),
            Rule::Peaks,
            || format!("{what} took the peaks from {last:?} to {now:?}"),
        )
    }
}

fn expect(counter: &str, found: usize, wanted: usize, what: &str) -> Result<(), Violation> {
    require(found == wanted, Rule::StatsRaised, || {
        format!("after {what} the counter `{counter}` is {found}, not {wanted}")
    })
}

/// The two values that `requested` may rise by: a size of zero counts as zero or as one byte, and
/// an allocator that does not remember counts what it granted.
fn asked(now: &Stats, layout: Layout, bytes: usize) -> (usize, usize) {
    if now.exact { (layout.size(), layout.size().max(1)) } else { (bytes, bytes) }
}

/// Names the counters that differ.
fn difference(wanted: &Stats, found: &Stats) -> String {
    let pairs = [
        ("live", wanted.live as u64, found.live as u64),
        ("requested", wanted.requested as u64, found.requested as u64),
        ("granted", wanted.granted as u64, found.granted as u64),
        ("reserved", wanted.reserved as u64, found.reserved as u64),
        ("peak_requested", wanted.peak_requested as u64, found.peak_requested as u64),
        ("peak_granted", wanted.peak_granted as u64, found.peak_granted as u64),
        ("peak_reserved", wanted.peak_reserved as u64, found.peak_reserved as u64),
        ("allocations_total", wanted.allocations_total, found.allocations_total),
        ("requested_total", wanted.requested_total, found.requested_total),
        ("granted_total", wanted.granted_total, found.granted_total),
    ];
    let parts: Vec<String> = pairs
        .iter()
        .filter(|(_, wanted, found)| wanted != found)
        .map(|(name, wanted, found)| format!("{name} is {found}, not {wanted}"))
        .collect();
    if parts.is_empty() { "reserved has grown".to_owned() } else { parts.join(", ") }
}
