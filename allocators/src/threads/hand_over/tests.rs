//! Tests of blocks that are handed back: alone, and as models of every interleaving.

#[cfg(loom)]
mod loom;
#[cfg(not(loom))]
mod single;
