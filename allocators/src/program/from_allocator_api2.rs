//! Any allocator of `allocator-api2` as an allocator of this crate.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where every allocator of a
//! program has one interface. Changes: the allocator below is another crate's, which knows neither
//! counters nor wrong frees, so both are added here. `bridge.rs` is the opposite direction.
//!
//! The lines of that library have separate traits, so there is a type for each, made by one macro.

#[cfg(test)]
mod tests;

/// Creates the module for one version of `allocator-api2`.
macro_rules! line {
    ($(#[$docs:meta])* $module:ident, $feature:literal, $library:ident) => {
        $(#[$docs])*
        #[cfg(feature = $feature)]
        pub mod $module {
            use core::alloc::Layout;
            use core::fmt;
            use core::ptr::NonNull;

            use $library::alloc::Allocator as TheirAllocator;

            use crate::bookkeeping::source_allocator::{
                BlockSource, SourceAllocator, over_source,
            };
            use crate::contract::allocator::{AllocError, Allocator};

            /// Allocates from any allocator of `allocator-api2`, such as a `&bumpalo::Bump`.
            ///
            /// Every block is in a table by its address, so foreign, interior and double frees and
            /// wrong layouts end in [`misuse`](crate::misuse()) before they reach the source.
            ///
            /// # Complexity
            ///
            /// The source's, and O(1) amortised in the table. A block that is resized moves; `owns`
            /// and the report of a wrong free are O(blocks).
            ///
            /// # Memory
            ///
            /// The waste of the source, which it does not report: granted equals requested, also
            /// where the source returns more. The table takes 53 to 107 bytes for each of the most
            /// blocks that were live at once (27 to 53 with 32 bits), from the source; it counts in
            /// no statistics of this allocator.
            ///
            /// # Threads
            ///
            /// `Send` and `Sync` where the source is: a spin lock guards the table, and is held
            /// while the source works only where the table grows. [`walk`](Allocator::walk) holds
            /// it while it calls back.
            ///
            /// # When not to use it
            ///
            /// Over an allocator of this crate: use that directly.
            ///
            /// # Panics
            ///
            /// When dropped with live blocks, with their number, bytes, and allocation sites.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use ", stringify!($library), "::alloc::Global;")]
            #[doc = concat!("use loligo_allocators::", stringify!($module), "::FromAllocatorApi2;")]
            /// use loligo_allocators::{AllocError, Allocator, HeapAllocator, Make};
            ///
            /// let source = FromAllocatorApi2::new("global", Global);
            /// let heap = HeapAllocator::with_region_bytes_in("level", 64 << 10, &source);
            /// let number = heap.create(17_u32)?;
            /// assert_eq!((heap.stats().live, source.stats().live), (1, 1));
            /// // SAFETY: it was made by this allocator, and is deleted once.
            /// unsafe { heap.destroy(number) };
            /// # Ok::<(), AllocError>(())
            /// ```
            pub struct FromAllocatorApi2<'a, A: TheirAllocator> {
                blocks: SourceAllocator<'a, Api2<A>>,
            }

            impl<'a, A: TheirAllocator> FromAllocatorApi2<'a, A> {
                /// Creates an allocator over `source`, with its table there as well. It allocates
                /// nothing yet.
                #[must_use]
                pub const fn new(name: &'a str, source: A) -> Self {
                    Self { blocks: SourceAllocator::new(name, Api2(source)) }
                }

                /// Returns the source.
                pub const fn source(&self) -> &A {
                    &self.blocks.source().0
                }

                /// Returns how many bytes the table takes from the source.
                #[must_use]
                pub fn overhead_bytes(&self) -> usize {
                    self.blocks.overhead_bytes()
                }
            }

            over_source!(['a, A: TheirAllocator] FromAllocatorApi2<'a, A>);

            impl<A: TheirAllocator> fmt::Debug for FromAllocatorApi2<'_, A> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.blocks.debug("FromAllocatorApi2", f)
                }
            }

            /// An allocator of the library as a source of blocks.
            struct Api2<A>(A);

            // SAFETY: the library's trait promises the same of a block, and that moving the
            // allocator does not invalidate it.
            unsafe impl<A: TheirAllocator> BlockSource for Api2<A> {
                fn take(
                    &self,
                    layout: Layout,
                    is_zeroed: bool,
                ) -> Result<NonNull<u8>, AllocError> {
                    let block = match is_zeroed {
                        true => self.0.allocate_zeroed(layout),
                        false => self.0.allocate(layout),
                    };
                    block.map(NonNull::cast).map_err(|_| AllocError)
                }

                unsafe fn give_back(&self, block: NonNull<u8>, layout: Layout) {
                    // SAFETY: the caller promises a live block of this source, and its layout.
                    unsafe { self.0.deallocate(block, layout) }
                }
            }
        }
    };
}

line!(
    /// Allocators of `allocator-api2` 0.2.
    api2_02, "allocator-api2-02", allocator_api2_02
);
line!(
    /// Allocators of `allocator-api2` 0.3.
    api2_03, "allocator-api2-03", allocator_api2_03
);
line!(
    /// Allocators of `allocator-api2` 0.4.
    api2_04, "allocator-api2-04", allocator_api2_04
);
