//! A thousand frames that never touch the global heap, and a guard that proves it: particles in a
//! pool, events and visible objects in a frame allocator, a line of text in scratch memory.
//!
//! Run it with `cargo run -p loligo-allocators --example frame_without_global_heap`.
#![expect(
    unsafe_code,
    reason = "raw memory is made into slices in one small function, and particles are deleted"
)]

use core::alloc::Layout;
use core::ptr::NonNull;
use core::slice;
use std::alloc::System;
use std::io::{Cursor, Write};

use loligo_allocators::{
    AllocError, Allocator, FrameAllocator, GlobalGuard, Make, MemoryGlobals, MemoryOptions,
    PoolAllocator, SharedRef, StaticHeap, Violations,
};

#[global_allocator]
static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);

static BOOT: StaticHeap<{ MemoryGlobals::BOOT_BYTES }> = StaticHeap::new("boot");

const FRAMES: usize = 1000;
const PARTICLES: usize = 512;
const FRAME_BYTES: usize = 64 << 10;

struct Particle {
    height: f32,
    speed: f32,
    depth: f32,
    frames_left: u32,
}

#[derive(Clone, Copy)]
enum Event {
    Landed { speed: f32 },
    Faded,
}

/// State that outlives a frame. The list of particles has a fixed length, so it needs no other
/// memory.
struct Game<'g> {
    pool: &'g PoolAllocator<'g>,
    scratch: SharedRef<'g>,
    particles: [Option<NonNull<Particle>>; PARTICLES],
    random: u32,
    landed: usize,
    faded: usize,
    drawn: usize,
}

impl Game<'_> {
    /// One frame: it allocates only from the given allocators.
    fn frame(&mut self, frame: &mut FrameAllocator<'_>, number: usize) -> Result<(), AllocError> {
        self.spawn(12)?;
        // One particle causes at most two events, so the array has the maximum length.
        let events = array(frame, 2 * PARTICLES, Event::Faded)?;
        let count = self.move_all(events);
        for event in &events[..count] {
            match event {
                Event::Landed { speed } if *speed > 0.5 => self.landed += 1,
                Event::Landed { .. } => {}
                Event::Faded => self.faded += 1,
            }
        }
        self.drawn += self.draw(frame)?;
        self.write_line(number)?;
        frame.reset();
        Ok(())
    }

    fn spawn(&mut self, count: usize) -> Result<(), AllocError> {
        let free = self.particles.iter_mut().filter(|slot| slot.is_none());
        for slot in free.take(count) {
            self.random = self.random.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            let part = |shift: u32| (self.random >> shift & 0xff) as f32 / 255.0;
            let particle = Particle {
                height: 1.0,
                speed: part(8),
                depth: part(16),
                frames_left: 20 + (self.random >> 27),
            };
            *slot = Some(self.pool.create(particle)?);
        }
        Ok(())
    }

    /// Moves every particle, destroys expired ones, and returns the number of events.
    fn move_all(&mut self, events: &mut [Event]) -> usize {
        let mut count = 0;
        let mut tell = |event| {
            events[count] = event;
            count += 1;
        };
        for slot in &mut self.particles {
            let Some(mut at) = *slot else { continue };
            // SAFETY: the list holds live particles, each once.
            let particle = unsafe { at.as_mut() };
            particle.speed -= 0.05;
            particle.height += particle.speed;
            if particle.height < 0.0 {
                tell(Event::Landed { speed: -particle.speed });
                particle.height = 0.0;
                particle.speed *= -0.6;
            }
            particle.frames_left -= 1;
            if particle.frames_left == 0 {
                tell(Event::Faded);
                // SAFETY: it is live, and leaves the list here.
                unsafe { self.pool.destroy(at) };
                *slot = None;
            }
        }
        count
    }

    /// Sorts the visible particles from back to front and returns their number.
    fn draw(&self, frame: &FrameAllocator<'_>) -> Result<usize, AllocError> {
        let visible = array(frame, PARTICLES, (0.0_f32, 0_u16))?;
        let mut seen = 0;
        for (index, at) in self.particles.iter().enumerate() {
            let Some(at) = at else { continue };
            // SAFETY: the list has live particles, and they are not changed meanwhile.
            let particle = unsafe { at.as_ref() };
            if particle.height < 4.0 {
                visible[seen] = (particle.depth, index as u16);
                seen += 1;
            }
        }
        // The stable sort would allocate.
        visible[..seen].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        Ok(seen)
    }

    /// Writes a line of text for the screen. Formatting does not allocate; `format!` would.
    fn write_line(&self, number: usize) -> Result<(), AllocError> {
        let layout = Layout::new::<[u8; 80]>();
        let block = self.scratch.allocate_zeroed(layout)?.cast::<[u8; 80]>();
        // SAFETY: the block is aligned, of this length, zeroed, and not shared.
        let line = unsafe { &mut *block.as_ptr() };
        let mut cursor = Cursor::new(&mut line[..]);
        let is_written =
            writeln!(cursor, "frame {number}: {} landed, {} faded", self.landed, self.faded);
        assert!(is_written.is_ok(), "a line has room for four numbers");
        if number.is_multiple_of(250) {
            // Printing may allocate; an exempt scope permits it.
            GUARD.exempt(|| print!("{}", String::from_utf8_lossy(&line[..]).trim_matches('\0')));
        }
        // SAFETY: the block is live, has this layout, and the line is not used again.
        unsafe { self.scratch.deallocate_sized(block.cast(), layout) };
        Ok(())
    }
}

/// Returns an array that lives until the frame is reset, which the compiler refuses while it is in
/// use.
#[expect(
    clippy::mut_from_ref,
    reason = "each call returns memory of its own, not a part of what the reference leads to"
)]
fn array<'f, T: Copy>(
    frame: &'f FrameAllocator<'_>,
    items: usize,
    fill: T,
) -> Result<&'f mut [T], AllocError> {
    let layout = Layout::array::<T>(items).map_err(|_| AllocError)?;
    let block = frame.allocate(layout)?.cast::<T>();
    for index in 0..items {
        // SAFETY: the block has room for that many items.
        let slot = unsafe { block.add(index) };
        // SAFETY: the slot is aligned, in the block, and no other code uses it.
        unsafe { slot.write(fill) };
    }
    // SAFETY: the block is aligned, every item was just written, no other code uses it, and it
    // stays live while the frame is borrowed, since freeing it singly is unsafe.
    Ok(unsafe { slice::from_raw_parts_mut(block.as_ptr(), items) })
}

fn main() -> Result<(), AllocError> {
    let globals = MemoryGlobals::init(&BOOT, &MemoryOptions::new())?;
    let effects = globals.proxy("effects");
    let heap: SharedRef<'_> = &effects;
    let pool = PoolAllocator::new("particles", Layout::new::<Particle>(), heap);
    let mut frame = FrameAllocator::new("frame", FRAME_BYTES, heap)?;
    let mut game = Game {
        pool: &pool,
        scratch: globals.scratch_allocator(),
        particles: [None; PARTICLES],
        random: 1,
        landed: 0,
        faded: 0,
        drawn: 0,
    };

    for number in 1..=FRAMES {
        // Any allocation, resize or free of a global block in here ends the program.
        GUARD.armed(|| game.frame(&mut frame, number))?;
    }

    assert_eq!(GUARD.violations(), Violations::default(), "no frame touched the global heap");
    assert_eq!(frame.stats().allocations_total, 2 * FRAMES as u64, "but frames took memory");
    println!("{FRAMES} frames, {} particles drawn, no global allocation", game.drawn);
    println!(
        "instead: {} from the frame, {} from the pool, {} from scratch memory",
        frame.stats().allocations_total,
        pool.stats().allocations_total,
        globals.scratch_allocator().stats().allocations_total
    );
    for particle in game.particles.into_iter().flatten() {
        // SAFETY: the list holds live particles, and ends here.
        unsafe { pool.destroy(particle) };
    }
    Ok(())
}
