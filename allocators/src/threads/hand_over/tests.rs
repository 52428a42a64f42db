//! Models of blocks that are handed back.
