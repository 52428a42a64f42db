//! Many growable arrays in one buffer.
