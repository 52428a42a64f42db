//! The functions that would serve the program if the recorder were not there.

use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use crate::system::{RTLD_NEXT, dlsym};

/// A function of the next library; null until [`found`] has looked it up, and if there is no such
/// function.
macro_rules! function {
    ($holder:ident, $name:literal, fn($($argument:ty),*) $(-> $result:ty)?) => {
        pub(crate) mod $holder {
            use super::*;

            pub(super) static AT: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

            pub(super) const NAME: &CStr = $name;

            /// Its type.
            pub(crate) type Function = unsafe extern "C" fn($($argument),*) $(-> $result)?;

            /// Returns it, where the next library has it.
            pub(crate) fn get() -> Option<Function> {
                // Acquire: pairs with the release in `look_up`; the linker's own writes come before
                // it.
                let at = AT.load(Ordering::Acquire);
                // SAFETY: null is `None`; else `dlsym` gave the address of the C library's function
                // of this name, which has this type by the C standard, POSIX or its manual.
                unsafe { core::mem::transmute::<*mut c_void, Option<Function>>(at) }
            }
        }
    };
}

function!(malloc, c"malloc", fn(usize) -> *mut u8);
function!(calloc, c"calloc", fn(usize, usize) -> *mut u8);
function!(realloc, c"realloc", fn(*mut u8, usize) -> *mut u8);
function!(free, c"free", fn(*mut u8));
function!(aligned_alloc, c"aligned_alloc", fn(usize, usize) -> *mut u8);
function!(posix_memalign, c"posix_memalign", fn(*mut *mut u8, usize, usize) -> c_int);
function!(memalign, c"memalign", fn(usize, usize) -> *mut u8);
function!(valloc, c"valloc", fn(usize) -> *mut u8);
function!(pvalloc, c"pvalloc", fn(usize) -> *mut u8);

/// How far the search is.
static SEARCH: AtomicU8 = AtomicU8::new(NOT_BEGUN);

const NOT_BEGUN: u8 = 0;
const UNDER_WAY: u8 = 1;
const DONE: u8 = 2;

/// Returns `true` if the real functions can be called; looks them up at the first call. It is false
/// while that search goes on, for what the search itself allocates and for other threads.
pub(crate) fn found() -> bool {
    // Acquire: pairs with the release below, so that a thread that sees `DONE` sees the addresses.
    SEARCH.load(Ordering::Acquire) == DONE || look_up()
}

#[cold]
fn look_up() -> bool {
    let begun = SEARCH.compare_exchange(NOT_BEGUN, UNDER_WAY, Ordering::AcqRel, Ordering::Acquire);
    if let Err(state) = begun {
        return state == DONE;
    }
    for (at, name) in [
        (&malloc::AT, malloc::NAME),
        (&calloc::AT, calloc::NAME),
        (&realloc::AT, realloc::NAME),
        (&free::AT, free::NAME),
        (&aligned_alloc::AT, aligned_alloc::NAME),
        (&posix_memalign::AT, posix_memalign::NAME),
        (&memalign::AT, memalign::NAME),
        (&valloc::AT, valloc::NAME),
        (&pvalloc::AT, pvalloc::NAME),
    ] {
        // SAFETY: the name ends with a zero; `RTLD_NEXT` is a handle that is always valid.
        let function = unsafe { dlsym(RTLD_NEXT, name.as_ptr()) };
        at.store(function, Ordering::Release);
    }
    SEARCH.store(DONE, Ordering::Release);
    true
}
