//! Where rendered samples go.

use loligo_allocators::Allocator;
use loligo_containers::Array;

/// Takes what is heard: a device, a file, or a test.
pub trait Sink {
    /// Takes the next frames, left and right.
    fn hear(&mut self, frames: &[[f32; 2]]);
}

/// Takes frames and forgets them: what mixes and is not heard.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence;

impl Sink for Silence {
    fn hear(&mut self, _frames: &[[f32; 2]]) {}
}

/// Keeps all frames.
#[derive(Debug)]
pub struct Recorder<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    frames: Array<'a, [f32; 2], A>,
    lost: u64,
}

impl<'a, A: Allocator + ?Sized> Recorder<'a, A> {
    /// Returns one that has kept nothing.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { frames: Array::new_in(memory), lost: 0 }
    }

    /// Returns all frames.
    #[must_use]
    pub const fn frames(&self) -> &[[f32; 2]] {
        self.frames.as_slice()
    }

    /// Returns how many frames there was no memory for.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }
}

impl<A: Allocator + ?Sized> Sink for Recorder<'_, A> {
    fn hear(&mut self, frames: &[[f32; 2]]) {
        if self.frames.try_extend_from_slice(frames).is_err() {
            self.lost += frames.len() as u64;
        }
    }
}
