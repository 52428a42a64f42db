//! locked.
