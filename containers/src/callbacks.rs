//! Calls that are queued and made later.
