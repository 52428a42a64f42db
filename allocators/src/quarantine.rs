//! Freed blocks kept back for a while.
