//! bridge.
