//! The shared table by one thread, by several, and by the model checker.

#[cfg(not(loom))]
mod check;
#[cfg(loom)]
mod loom;
#[cfg(not(loom))]
mod threads;
