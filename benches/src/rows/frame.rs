//! The frame's rows.

use core::ptr::NonNull;

use loligo_allocators::{Allocator, FrameAllocator, PageAllocator};

use crate::blocks::Ours;
use crate::contender::{Contender, Race};
use crate::memory::PAGES;
use crate::outcome::Aim;
use crate::peers::raw_cursor::RawCursor;
use crate::rows::{Measure, Row, Unit};
use crate::work::frames::{FRAME_BLOCK, FRAME_BLOCKS, STACK_BYTES_MAX, Stacks, fill_and_reset};

/// Returns the frame's rows.
#[must_use]
pub fn rows() -> Vec<Row> {
    vec![
        Row::new("frame/32", Unit::Ns, Aim::over_peer(1.0, 0.9), Measure::Race(frame32)),
        Row::new("frame/lifo256", Unit::Ns, Aim::over_peer(1.25, 1.1), Measure::Race(lifo256)),
    ]
}

/// Returns a frame over separate pages.
fn frame(bytes: usize) -> FrameAllocator<'static, PageAllocator> {
    FrameAllocator::new_in("frame", bytes, &PAGES).expect("the machine has this memory")
}

/// Bytes of a frame for all blocks of `frame/32`, with room for what it remembers of each.
const FRAME_BYTES: usize = FRAME_BLOCKS as usize * 2 * FRAME_BLOCK.size();

fn frame32() -> Race {
    let mut ours = frame(FRAME_BYTES);
    let mut bump = bumpalo::Bump::with_capacity(FRAME_BYTES);
    Race {
        ours: Contender::new("frame", move || {
            let take = |frame: &FrameAllocator<'static, PageAllocator>| {
                frame.allocate(FRAME_BLOCK).ok().map(NonNull::cast)
            };
            fill_and_reset(&mut ours, take, FrameAllocator::reset)
        }),
        peers: vec![Contender::new("bumpalo", move || {
            let take = |bump: &bumpalo::Bump| bump.try_alloc_layout(FRAME_BLOCK).ok();
            fill_and_reset(&mut bump, take, bumpalo::Bump::reset)
        })],
        absent: Vec::new(),
    }
}

fn lifo256() -> Race {
    let mut ours = Stacks::new(Ours(frame(2 * STACK_BYTES_MAX)));
    let mut raw = Stacks::new(RawCursor::new(2 * STACK_BYTES_MAX));
    Race {
        ours: Contender::new("frame", move || ours.run(500)),
        peers: vec![Contender::new("raw cursor", move || raw.run(500))],
        absent: Vec::new(),
    }
}
