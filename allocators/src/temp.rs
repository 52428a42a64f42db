//! A few bytes in place, for memory of one function.
