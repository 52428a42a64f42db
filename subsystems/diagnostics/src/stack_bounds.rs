//! The bounds of the running thread's stack.

/// The part of the running thread's stack that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackBounds {
    /// The address of something in the innermost frame.
    inner: usize,
    /// One past the outermost byte.
    end: usize,
}

impl StackBounds {
    /// Returns the bounds of the calling thread, or nothing where the system does not report them.
    ///
    /// The C library may take memory from its heap for the answer, and gives it back.
    #[inline(never)]
    pub(crate) fn of_this_thread() -> Option<Self> {
        let mark = core::hint::black_box(0_u8);
        let inner = (&raw const mark).addr();
        let end = end_of_stack()?;
        (inner < end).then_some(Self { inner, end })
    }

    /// Returns `true` if a value of type `T` at this address is in a frame of this thread.
    pub(crate) fn hold<T>(&self, value: *const T) -> bool {
        let address = value.addr();
        address > self.inner
            && self.end.checked_sub(size_of::<T>()).is_some_and(|last| address <= last)
    }
}

#[cfg(target_os = "linux")]
fn end_of_stack() -> Option<usize> {
    use core::mem::MaybeUninit;

    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: it takes nothing and cannot fail.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: the thread is this one, which runs; the attributes are written, and not read before.
    if unsafe { libc::pthread_getattr_np(thread, attributes.as_mut_ptr()) } != 0 {
        return None;
    }
    let mut start = core::ptr::null_mut();
    let mut bytes = 0;
    // SAFETY: the attributes were initialised above; both results are live and writable.
    let result =
        unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut start, &raw mut bytes) };
    // SAFETY: the attributes were initialised above, and are not used again.
    unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
    (result == 0).then(|| start.addr().saturating_add(bytes))
}

#[cfg(not(target_os = "linux"))]
fn end_of_stack() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests;
