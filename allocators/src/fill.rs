//! Patterns written into blocks as they come and go.
