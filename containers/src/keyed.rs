//! Data whose fields are known only at run time: JSON, key-value stores, open structs.

pub(crate) mod json;
pub(crate) mod key_values;
pub(crate) mod open_struct;
