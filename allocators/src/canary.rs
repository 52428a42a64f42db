//! Known words before and after each block.
