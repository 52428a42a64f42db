//! A frame for several threads.
