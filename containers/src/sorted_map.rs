//! Maps and sets in sorted arrays.
