//! What the macros of this crate expand to. Nothing of it is for other use.

pub use crate::context::{ContextPlace, Guard, Slot};
pub use crate::failure::{Argument, NotCopied, ensure_failed, unreachable_reached};
