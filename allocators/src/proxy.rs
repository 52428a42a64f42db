//! proxy.
