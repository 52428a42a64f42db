//! size_classes.
