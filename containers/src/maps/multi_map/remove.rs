//! Removing values: those of the key that come after move up, and a key without any goes.

use core::borrow::Borrow;
use core::hash::{BuildHasher, Hash};

use loligo_allocators::Allocator;

use super::{Bucket, EntryPlace, Keyed, MultiMap, gone};

impl<K, V, S, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Takes a value out, and with the last one of a key drops the key. Other places may mean
    /// something else from now on.
    ///
    /// # Complexity
    ///
    /// O(values of the key that come after it).
    ///
    /// # Panics
    ///
    /// If there is no value at the place, as some were removed since.
    #[inline]
    pub fn remove_at(&mut self, place: EntryPlace) -> V {
        match self.take(place.key as usize, place.at as usize) {
            Some(value) => value,
            None => gone(place),
        }
    }

    /// Keeps the values that `keep` says yes to and drops the others. It is asked in no order of
    /// keys, and in the order of insertion of the values of a key.
    ///
    /// If `keep` or a destructor panics, the values not yet asked about stay.
    ///
    /// # Complexity
    ///
    /// O(len).
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        // From the end on, so that the key that moves into a gap was looked at.
        for key in (0..self.keys.len()).rev() {
            self.sift(key, &mut keep);
        }
    }

    /// Keeps those values of a key that `keep` says yes to.
    fn sift(&mut self, key: usize, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let sifted = Sifted { had: self.keys[key].run.len, map: self, key };
        let Keyed { run, key, .. } = &mut sifted.map.keys[sifted.key];
        sifted.map.values.retain(run, |value| keep(key, value));
    }

    /// Takes a value of a key out, and the key if it was the last.
    #[inline]
    fn take(&mut self, key: usize, at: usize) -> Option<V> {
        let run = &mut self.keys.get_mut(key)?.run;
        let value = self.values.remove(run, at)?;
        let is_empty = run.len == 0;
        self.len -= 1;
        if is_empty {
            self.remove_key(key);
        }
        Some(value)
    }

    /// Takes out a key with whatever values it has, and drops both.
    #[inline]
    fn remove_key(&mut self, key: usize) {
        let last = self.keys.len() as u32 - 1;
        let hash = self.keys[key].hash;
        self.index.remove(Bucket { hash, at: key as u32 });
        if key as u32 != last {
            let hash = self.keys[last as usize].hash;
            self.index.renumber(Bucket { hash, at: last }, key as u32);
        }
        let Keyed { run, key, .. } = self.keys.swap_remove(key);
        // Dropped after the values, also if one of them panics.
        let _key = key;
        self.len -= run.len as usize;
        self.values.end_run(run);
        if self.keys.is_empty() {
            self.values.reset();
        }
    }
}

/// A key whose values are being sifted: they are counted at the end, and it goes if none is left.
struct Sifted<'m, 'a, K, V, S, A: Allocator + ?Sized> {
    map: &'m mut MultiMap<'a, K, V, S, A>,
    key: usize,
    had: u32,
}

impl<K, V, S, A: Allocator + ?Sized> Drop for Sifted<'_, '_, K, V, S, A> {
    fn drop(&mut self) {
        let left = self.map.keys[self.key].run.len;
        self.map.len -= (self.had - left) as usize;
        if left == 0 {
            self.map.remove_key(self.key);
        }
    }
}

impl<K: Hash + Eq, V, S: BuildHasher, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Takes the first value of a key out; `None` if it has none.
    ///
    /// # Complexity
    ///
    /// O(values of the key).
    #[inline]
    pub fn remove_first<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let key = self.find(key)?;
        self.take(key, 0)
    }

    /// Drops a key with all its values and returns how many they were.
    ///
    /// # Complexity
    ///
    /// O(values of the key).
    pub fn remove_all<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        let Some(key) = self.find(key) else { return 0 };
        let values = self.keys[key].run.len;
        self.remove_key(key);
        values as usize
    }

    /// Keeps those values of a key that `keep` says yes to, asked in the order of insertion, drops
    /// the others and returns how many they were.
    ///
    /// If `keep` or a destructor panics, the values not yet asked about stay.
    ///
    /// # Complexity
    ///
    /// O(values of the key).
    pub fn retain_of<Q: Hash + Eq + ?Sized>(
        &mut self,
        key: &Q,
        mut keep: impl FnMut(&mut V) -> bool,
    ) -> usize
    where
        K: Borrow<Q>,
    {
        let Some(key) = self.find(key) else { return 0 };
        let before = self.len;
        self.sift(key, |_, value| keep(value));
        before - self.len
    }
}
