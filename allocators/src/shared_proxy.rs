//! A proxy for several threads.
