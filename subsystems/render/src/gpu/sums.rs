//! Counts of a frame.

/// What was drawn in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuSums {
    /// Draw commands given to the graphics card, each of any number of records.
    pub draws: u64,
    /// Records in them.
    pub records: u64,
    /// Pipelines that were bound.
    pub pipelines: u64,
    /// Materials that were bound.
    pub materials: u64,
    /// Pieces of work of kinds that others brought.
    pub jobs: u64,
    /// Transforms that were sent, because they had changed.
    pub transforms: u64,
}
