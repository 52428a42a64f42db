//! Many lists in one array.
