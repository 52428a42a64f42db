//! What each call site of a recording asks for: how often, how much, and how long its blocks live.

use serde::Serialize;

use super::BRIEF;
use crate::trace::{Op, Trace};

/// What the blocks of one call site are like.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SiteUse {
    /// The site's number in the recording.
    pub site: u32,
    /// Its name; empty if the recording has none.
    pub name: String,
    /// Blocks that were made here, those that a reallocation moved here included.
    pub blocks: u64,
    /// Their bytes together.
    pub bytes: u64,
    /// Blocks that died within [`BRIEF`] events.
    pub brief: u64,
    /// The most bytes that were alive at a time.
    pub peak_live_bytes: u64,
    /// The greatest size, and the greatest alignment.
    pub bytes_max: u64,
    /// The greatest alignment.
    pub align: u64,
}

impl SiteUse {
    /// Returns the share of blocks that died within [`BRIEF`] events.
    #[must_use]
    pub fn brief_share(&self) -> f64 {
        self.brief as f64 / self.blocks.max(1) as f64
    }
}

/// Returns all sites that make blocks, those that make most first; nothing where the recording has
/// no call sites. Blocks of unknown sites are left out.
///
/// # Complexity
///
/// O(events + sites x log(sites)) time; 32 bytes a slot and 8 bytes a site.
#[must_use]
pub fn sites_of(trace: &Trace) -> Vec<SiteUse> {
    let Some(labels) = trace.sites() else {
        return Vec::new();
    };
    let mut sites = vec![SiteUse::default(); labels.count() + 1];
    let mut live = vec![0_u64; sites.len()];
    // For each slot the site, the bytes and the birth of its block.
    let mut held = vec![(0_u32, 0_u64, 0_usize); trace.slots as usize];
    for (at, event) in trace.events.iter().enumerate() {
        let held = &mut held[event.slot as usize];
        if matches!(event.op, Op::Free | Op::Reallocate) {
            let (site, bytes, born) = *held;
            live[site as usize] -= bytes;
            sites[site as usize].brief += u64::from(at - born <= BRIEF);
        }
        if event.op == Op::Free {
            continue;
        }
        // If the recorder does not know the caller, the block stays with the site that made it.
        let site = match labels.of(at) {
            0 if event.op == Op::Reallocate => held.0,
            site => site,
        };
        *held = (site, event.bytes, at);
        let index = site as usize;
        live[index] += event.bytes;
        let of = &mut sites[index];
        of.site = site;
        of.blocks += 1;
        of.bytes = of.bytes.saturating_add(event.bytes);
        of.peak_live_bytes = of.peak_live_bytes.max(live[index]);
        of.bytes_max = of.bytes_max.max(event.bytes);
        of.align = of.align.max(1 << event.align_log2);
    }
    sites.retain(|of| of.site != 0 && of.blocks > 0);
    for of in &mut sites {
        labels.name(of.site).clone_into(&mut of.name);
    }
    sites.sort_by_key(|of| (core::cmp::Reverse(of.blocks), of.site));
    sites
}
