//! Tests of the proxy.
