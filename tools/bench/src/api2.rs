//! Allocators of allocator-api2, of each line in use, where a row or a suite asks for a
//! `GlobalAlloc`.

/// Makes the module of one line, with its rows on [`Bench`](crate::Bench).
macro_rules! line {
    ($module:ident, $library:ident, $outcomes:ident, $row:ident, $shared:ident, $version:literal) => {
        mod $module {
            use core::alloc::{GlobalAlloc, Layout};
            use core::ptr::{NonNull, null_mut};
            use std::rc::Rc;

            use $library::alloc::Allocator;
            use loligo_replay::results::Kind;
            use loligo_tests::conformance::$outcomes;

            use crate::bench::Bench;
            use crate::entry::{Checks, Entry};

            /// An allocator of this line, called as a `GlobalAlloc`.
            struct Api2<A>(A);

            // SAFETY: the library's trait promises the same of its blocks.
            unsafe impl<A: Allocator> GlobalAlloc for Api2<A> {
                #[inline]
                unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
                    self.0.allocate(layout).map_or(null_mut(), |block| block.cast().as_ptr())
                }

                #[inline]
                unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
                    self.0.allocate_zeroed(layout).map_or(null_mut(), |block| block.cast().as_ptr())
                }

                #[inline]
                unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
                    if let Some(block) = NonNull::new(block) {
                        // SAFETY: the caller promises a live block with this layout.
                        unsafe { self.0.deallocate(block, layout) }
                    }
                }

                #[inline]
                unsafe fn realloc(&self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
                    let new = Layout::from_size_align(bytes, old.align());
                    let (Some(block), Ok(new)) = (NonNull::new(block), new) else {
                        return null_mut();
                    };
                    let moved = if new.size() >= old.size() {
                        // SAFETY: the caller promises a live block; the new size is no less.
                        unsafe { self.0.grow(block, old, new) }
                    } else {
                        // SAFETY: the caller promises a live block; the new size is less.
                        unsafe { self.0.shrink(block, old, new) }
                    };
                    moved.map_or(null_mut(), |block| block.cast().as_ptr())
                }
            }

            fn checks<A: Allocator + 'static>(make: Rc<dyn Fn() -> A>) -> Checks {
                Box::new(move |limits, wanted| {
                    $outcomes(limits, wanted, |test| test(&make()))
                })
            }

            impl Bench {
                #[doc = concat!("Adds an allocator of allocator-api2 ", $version, " for one thread.")]
                ///
                /// `make` is called for each process that measures it, several times in some.
                #[must_use]
                pub fn $row<A: Allocator + 'static>(
                    self,
                    name: &str,
                    make: impl Fn() -> A + 'static,
                ) -> Self {
                    let make: Rc<dyn Fn() -> A> = Rc::new(make);
                    let checks = checks(Rc::clone(&make));
                    self.with(Entry::new(name, Kind::Peer, move || Api2(make()), checks))
                }

                #[doc = concat!("Adds an allocator of allocator-api2 ", $version, " that threads share.")]
                ///
                /// As the one for one thread, and it runs the suites of several threads.
                #[must_use]
                pub fn $shared<A: Allocator + Sync + 'static>(
                    self,
                    name: &str,
                    make: impl Fn() -> A + 'static,
                ) -> Self {
                    let make: Rc<dyn Fn() -> A> = Rc::new(make);
                    let checks = checks(Rc::clone(&make));
                    self.with(Entry::shared(name, Kind::Peer, move || Api2(make()), checks))
                }
            }
        }
    };
}

line!(line_02, allocator_api2_02, some_allocator_api2_02_outcomes, api2, api2_shared, "0.2");
line!(line_03, allocator_api2_03, some_allocator_api2_03_outcomes, api2_03, api2_03_shared, "0.3");
line!(line_04, allocator_api2_04, some_allocator_api2_04_outcomes, api2_04, api2_04_shared, "0.4");
