//! Blocks named by ids, which may move.
