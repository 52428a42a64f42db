//! A walk over the invariants.

use loligo_allocators::Allocator;

use super::{Input, OF_AXIS};

impl<A: Allocator + ?Sized> Input<'_, A> {
    /// Asserts the invariants. O(actions * latches).
    ///
    /// # Panics
    ///
    /// If one does not hold; then there is a fault in this crate.
    pub fn validate(&self) {
        for (place, action) in self.actions.iter().enumerate() {
            let leads = |binding: u32| {
                self.bindings.get(binding as usize).map(|binding| usize::from(binding.target))
            };
            let count = self.latches.iter().filter(|latch| leads(latch.binding) == Some(place));
            assert_eq!(action.down as usize, count.count(), "bindings down of action {place}");
        }
        for latch in &*self.latches {
            let binding = self.bindings.get(latch.binding as usize);
            let Some(binding) = binding else { panic!("{latch:?} is of no binding") };
            let is_of_axis = latch.press & OF_AXIS != 0;
            assert_ne!(is_of_axis, binding.control.is_digital(), "{latch:?} of {binding:?}");
            let is_held = is_of_axis || self.devices.controls(latch.press).is_some();
            assert!(is_held, "{latch:?} is of no press");
            let context = usize::from(binding.context);
            assert!(self.bindings.is_active(context), "context {context} is not active");
        }
        assert!(!self.is_stale, "values of axes were not computed");
    }
}
