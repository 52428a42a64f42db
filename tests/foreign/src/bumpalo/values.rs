//! Values and texts in a bump, by the methods of an arena.

use loligo_allocators::{AllocError, Arena};

use super::bump::Bump;
use crate::fault;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocOrInitError<E> {
    Alloc(AllocError),
    Init(E),
}

impl<const MIN_ALIGN: usize> Bump<MIN_ALIGN> {
    pub fn alloc<T>(&self, value: T) -> &mut T {
        Arena::alloc(&self.frame, value)
    }

    pub fn try_alloc<T>(&self, value: T) -> Result<&mut T, AllocError> {
        Arena::try_alloc(&self.frame, value)
    }

    pub fn alloc_with<F: FnOnce() -> T, T>(&self, make: F) -> &mut T {
        Arena::alloc_with(&self.frame, make)
    }

    pub fn try_alloc_with<F: FnOnce() -> T, T>(&self, make: F) -> Result<&mut T, AllocError> {
        Arena::try_alloc_with(&self.frame, make)
    }

    pub fn alloc_try_with<F: FnOnce() -> Result<T, E>, T, E>(&self, make: F) -> Result<&mut T, E> {
        make().map(|value| Arena::alloc(&self.frame, value))
    }

    pub fn try_alloc_try_with<F: FnOnce() -> Result<T, E>, T, E>(
        &self,
        make: F,
    ) -> Result<&mut T, AllocOrInitError<E>> {
        let value = make().map_err(AllocOrInitError::Init)?;
        Arena::try_alloc(&self.frame, value).map_err(AllocOrInitError::Alloc)
    }

    pub fn alloc_str(&self, text: &str) -> &mut str {
        Arena::alloc_str(&self.frame, if fault::is_planted() { "" } else { text })
    }

    pub fn try_alloc_str(&self, text: &str) -> Result<&mut str, AllocError> {
        Arena::try_alloc_str(&self.frame, text)
    }
}
