//! What the page of an advice is drawn from: plain data that becomes JSON inside it.

use serde::Serialize;

use super::super::data::Moment;
use crate::advise::profile::{LIFETIMES, Order, SiteUse};

/// Everything the page's script reads.
#[derive(Debug, Serialize)]
pub(super) struct AdviceData<'a> {
    pub(super) name: &'a str,
    pub(super) events: usize,
    /// The first event that the search has not seen.
    pub(super) held_back_from: usize,
    /// The peak of the live bytes from there on.
    pub(super) peak_live_bytes: u64,
    pub(super) judged: Vec<JudgedData<'a>>,
    pub(super) tried: Vec<TriedData<'a>>,
    pub(super) order: Order,
    /// Blocks by the power of two of their size, and of their lifetime.
    pub(super) heat: &'a [[u64; LIFETIMES]],
    pub(super) sizes: Vec<SizeData>,
    pub(super) all_sizes: usize,
    /// Live bytes at the ends of equal windows, and the windows at which a phase begins.
    pub(super) live_bytes: &'a [u64],
    pub(super) phases: &'a [usize],
    pub(super) sites: &'a [SiteUse],
    pub(super) maps: Vec<MapData>,
}

/// A strategy, or the heap, on what was held back.
#[derive(Debug, Serialize)]
pub(super) struct JudgedData<'a> {
    pub(super) name: &'a str,
    /// For what it is the choice.
    pub(super) chosen: Vec<&'static str>,
    pub(super) ns: f64,
    pub(super) time: f64,
    pub(super) bytes: f64,
    pub(super) bytes_ratio: f64,
    pub(super) worst_ns: f64,
    pub(super) is_sound: bool,
    pub(super) is_on_front: bool,
}

/// A candidate on the part that was searched on.
#[derive(Debug, Serialize)]
pub(super) struct TriedData<'a> {
    pub(super) name: &'a str,
    pub(super) time: f64,
    pub(super) bytes: f64,
    pub(super) is_finalist: bool,
}

/// Blocks of one size.
#[derive(Debug, Serialize)]
pub(super) struct SizeData {
    pub(super) bytes: u64,
    pub(super) operations: u64,
    pub(super) brief: u64,
    pub(super) peak_live: u64,
}

/// The memory of one allocator at some moments.
#[derive(Debug, Serialize)]
pub(super) struct MapData {
    pub(super) name: String,
    /// The colour.
    pub(super) key: &'static str,
    pub(super) moments: Vec<Moment>,
}
