//! Structs whose fields are known at run time.
