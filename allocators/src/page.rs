//! page.
