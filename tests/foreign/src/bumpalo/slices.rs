//! Slices in a bump, by the methods of an arena.

use loligo_allocators::{AllocError, Arena};

use super::bump::Bump;

impl<const MIN_ALIGN: usize> Bump<MIN_ALIGN> {
    pub fn alloc_slice_copy<T: Copy>(&self, values: &[T]) -> &mut [T] {
        Arena::alloc_slice_copy(&self.frame, values)
    }

    pub fn try_alloc_slice_copy<T: Copy>(&self, values: &[T]) -> Result<&mut [T], AllocError> {
        Arena::try_alloc_slice_copy(&self.frame, values)
    }

    pub fn alloc_slice_clone<T: Clone>(&self, values: &[T]) -> &mut [T] {
        Arena::alloc_slice_clone(&self.frame, values)
    }

    pub fn try_alloc_slice_clone<T: Clone>(&self, values: &[T]) -> Result<&mut [T], AllocError> {
        Arena::try_alloc_slice_clone(&self.frame, values)
    }

    pub fn alloc_slice_fill_with<T, F: FnMut(usize) -> T>(&self, len: usize, fill: F) -> &mut [T] {
        Arena::alloc_slice_fill_with(&self.frame, len, fill)
    }

    pub fn try_alloc_slice_fill_with<T, F: FnMut(usize) -> T>(
        &self,
        len: usize,
        fill: F,
    ) -> Result<&mut [T], AllocError> {
        Arena::try_alloc_slice_fill_with(&self.frame, len, fill)
    }

    pub fn alloc_slice_try_fill_with<T, F: FnMut(usize) -> Result<T, E>, E>(
        &self,
        len: usize,
        fill: F,
    ) -> Result<&mut [T], E> {
        self.alloc_slice_try_fill_iter((0..len).map(fill))
    }

    pub fn alloc_slice_fill_copy<T: Copy>(&self, len: usize, value: T) -> &mut [T] {
        Arena::alloc_slice_fill_with(&self.frame, len, |_| value)
    }

    pub fn alloc_slice_fill_clone<T: Clone>(&self, len: usize, value: &T) -> &mut [T] {
        Arena::alloc_slice_fill_with(&self.frame, len, |_| value.clone())
    }

    pub fn alloc_slice_fill_default<T: Default>(&self, len: usize) -> &mut [T] {
        Arena::alloc_slice_fill_with(&self.frame, len, |_| T::default())
    }

    pub fn alloc_slice_fill_iter<T, I: IntoIterator<Item = T>>(&self, values: I) -> &mut [T] {
        Arena::alloc_slice_fill_iter(&self.frame, values)
    }

    pub fn try_alloc_slice_fill_iter<T, I: IntoIterator<Item = T>>(
        &self,
        values: I,
    ) -> Result<&mut [T], AllocError> {
        Arena::try_alloc_slice_fill_iter(&self.frame, values)
    }

    /// A slice of the values before the first error, which is then forgotten.
    pub fn alloc_slice_try_fill_iter<T, I: IntoIterator<Item = Result<T, E>>, E>(
        &self,
        values: I,
    ) -> Result<&mut [T], E> {
        let mut error = None;
        let values = values.into_iter().map_while(|value| value.map_err(|e| error = Some(e)).ok());
        let slice = Arena::alloc_slice_fill_iter(&self.frame, values);
        error.map_or(Ok(slice), Err)
    }
}
