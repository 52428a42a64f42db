//! Call sites, stacks and recordings of what one user allocates.
