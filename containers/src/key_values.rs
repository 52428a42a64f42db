//! Keys and values of one object in one small buffer.
