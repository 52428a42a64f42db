//! A pool for several threads.
