//! Converts an allocator without sites into one with them, in any state.

/// Rebuilds an allocator without sites as one with sites.
macro_rules! with_sites {
    ($whole:expr, $sites:expr, $Type:ident { $($field:ident),* $(,)? }) => {{
        let whole = core::mem::MaybeUninit::new($whole);
        // SAFETY: it was just initialised.
        let whole = unsafe { whole.assume_init_ref() };
        $Type {
            $(
                // SAFETY: each field is moved out once, of a whole that is never dropped.
                $field: unsafe { core::ptr::read(&raw const whole.$field) },
            )*
            sites: $sites,
        }
    }};
}
pub(crate) use with_sites;
