//! A hash map with many values a key, chained in one array.
