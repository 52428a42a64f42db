//! Events of many types, one after the other in one buffer.
