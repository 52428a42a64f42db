//! What a batch is run with.

/// The values of a variable.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// One for each input.
    Column(&'a [f32]),
    /// The same for all.
    Same(f32),
}
