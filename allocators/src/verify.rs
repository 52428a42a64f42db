//! A check of the backing every so many calls.
