//! buddy.
