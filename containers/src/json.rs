//! A reader and a writer of JSON that take no memory.
