//! A page of its own for each block, guards beside it.
