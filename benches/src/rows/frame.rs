//! The frame's rows.

use core::ptr::NonNull;

use loligo_allocators::{Allocator, FrameAllocator, PageAllocator};

use crate::blocks::Ours;
use crate::contender::{Contender, Race};
use crate::memory::PAGES;
use crate::outcome::Aim;
use crate::peers::raw_cursor::RawCursor;
use crate::rows::{Measure, Row, Unit};
use crate::work::frames::{
    FRAME_BLOCK, FRAME_BLOCKS, MixedLayouts, STACK_BYTES_MAX, Stacks, VALUES_BYTES_MAX,
    fill_and_reset, values_in_bump, values_in_frame,
};

/// Returns the frame's rows.
#[must_use]
pub fn rows() -> Vec<Row> {
    vec![
        Row::new("frame/32", Unit::Ns, Aim::over_peer(1.0, 0.9), Measure::Race(frame32)),
        Row::new("frame/mixed", Unit::Ns, Aim::over_peer(1.0, 0.9), Measure::Race(mixed)),
        Row::new("frame/values", Unit::Ns, Aim::over_peer(1.0, 0.9), Measure::Race(values)),
        Row::new("frame/growing", Unit::Ns, Aim::over_peer(1.0, 0.9), Measure::Race(growing)),
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

/// Bytes of a frame for all blocks of `frame/mixed`.
const MIXED_BYTES: usize = 2 << 20;

pub(crate) fn mixed() -> Race {
    let (layouts, theirs) = (MixedLayouts::new(), MixedLayouts::new());
    let mut ours = frame(MIXED_BYTES);
    let mut bump = bumpalo::Bump::with_capacity(MIXED_BYTES);
    Race {
        ours: Contender::new("frame", move || {
            let take = |frame: &FrameAllocator<'static, PageAllocator>, layout| {
                frame.allocate(layout).ok().map(NonNull::cast)
            };
            layouts.fill_and_reset(&mut ours, take, FrameAllocator::reset)
        }),
        peers: vec![Contender::new("bumpalo", move || {
            let take = |bump: &bumpalo::Bump, layout| bump.try_alloc_layout(layout).ok();
            theirs.fill_and_reset(&mut bump, take, bumpalo::Bump::reset)
        })],
        absent: Vec::new(),
    }
}

/// Values by the methods of `Arena` and of bumpalo, in a block that has room for all of them.
pub(crate) fn values() -> Race {
    let mut ours = frame(2 * VALUES_BYTES_MAX);
    let mut bump = bumpalo::Bump::with_capacity(2 * VALUES_BYTES_MAX);
    Race {
        ours: Contender::new("frame", move || values_in_frame(&mut ours)),
        peers: vec![Contender::new("bumpalo", move || values_in_bump(&mut bump))],
        absent: Vec::new(),
    }
}

/// The same in frames that began with 512 bytes and have grown.
pub(crate) fn growing() -> Race {
    let ours = FrameAllocator::growing_in("frame", 512, &PAGES);
    let mut ours = ours.expect("the machine has this memory");
    let mut bump = bumpalo::Bump::with_capacity(512);
    Race {
        ours: Contender::new("growing frame", move || values_in_frame(&mut ours)),
        peers: vec![Contender::new("bumpalo", move || values_in_bump(&mut bump))],
        absent: Vec::new(),
    }
}

pub(crate) fn lifo256() -> Race {
    let mut ours = Stacks::new(Ours(frame(2 * STACK_BYTES_MAX)));
    let mut raw = Stacks::new(RawCursor::new(2 * STACK_BYTES_MAX));
    Race {
        ours: Contender::new("frame", move || ours.run(500)),
        peers: vec![Contender::new("raw cursor", move || raw.run(500))],
        absent: Vec::new(),
    }
}
