//! The yardstick: a vector with a stack of free places. An index is checked against the length and
//! nothing else; it is not checked whether the object is still the one that was meant.

use crate::id_table::{IdTable, Object, sum_of};

/// A vector of objects and the indices that are free.
pub(crate) struct RawVec {
    objects: Vec<Object<u32>>,
    free: Vec<u32>,
}

impl IdTable for RawVec {
    type Id = u32;

    fn with_capacity(count: u32) -> Self {
        let (objects, free) =
            (Vec::with_capacity(count as usize), Vec::with_capacity(count as usize));
        Self { objects, free }
    }

    #[inline(always)]
    fn insert(&mut self, object: Object<u32>) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.objects[index as usize] = object;
                index
            }
            None => {
                self.objects.push(object);
                self.objects.len() as u32 - 1
            }
        }
    }

    #[inline(always)]
    fn remove(&mut self, index: u32) -> Option<Object<u32>> {
        let object = *self.objects.get(index as usize)?;
        self.free.push(index);
        Some(object)
    }

    #[inline(always)]
    fn get(&self, index: u32) -> Option<&Object<u32>> {
        self.objects.get(index as usize)
    }

    #[inline(always)]
    fn get_mut(&mut self, index: u32) -> Option<&mut Object<u32>> {
        self.objects.get_mut(index as usize)
    }

    /// Visits the free places, too: it knows no better.
    #[inline(always)]
    fn sum(&self) -> u64 {
        sum_of(self.objects.iter())
    }
}
