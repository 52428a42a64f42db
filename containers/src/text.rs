//! Text in an array of bytes.
