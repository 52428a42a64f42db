//! slab.
