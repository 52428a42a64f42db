//! The graphics card.
