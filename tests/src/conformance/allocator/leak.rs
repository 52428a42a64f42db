//! The check that a leak is reported.

use core::alloc::Layout;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::attempt::{Maker, text_of};
use crate::rule::{Rule, Violation};

/// Drops an allocator with a live block, which must panic and name it.
pub(super) fn leak(make: &mut Maker<'_>) -> Result<(), Violation> {
    let mut name = String::new();
    let dropped = catch_unwind(AssertUnwindSafe(|| {
        make(&mut |allocator| {
            name = allocator.name().to_owned();
            // The block is leaked on purpose; a refusal shows as a drop without a panic.
            let _leaked = allocator.allocate(Layout::new::<u8>());
        });
    }));
    let Err(payload) = dropped else {
        return Err(Violation::new(
            Rule::Leak,
            format!("`{name}` was dropped with a live block and said nothing"),
        ));
    };
    let text = text_of(payload.as_ref());
    if text.contains(&name) {
        return Ok(());
    }
    Err(Violation::new(Rule::Leak, format!("the report of a leak does not name `{name}`: {text}")))
}
