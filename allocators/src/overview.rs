//! A tree of allocators as a table, as JSON and as a page.
