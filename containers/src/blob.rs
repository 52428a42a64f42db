//! Resources of offsets alone, built once and read in place.
