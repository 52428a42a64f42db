//! Tests of the frame.
