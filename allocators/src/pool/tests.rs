//! Tests of the pool.
