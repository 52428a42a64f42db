//! The shared table by one thread, by several, and by the model checker.

#[cfg(loom)]
mod loom;
#[cfg(not(loom))]
mod threads;
