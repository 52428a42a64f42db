//! What the engine has, written for tools: memory, objects, functions for scripts.

use core::fmt;

use loligo_allocators::{Allocator, SharedRef};
use loligo_containers::Array;
#[cfg(feature = "script")]
use loligo_script::{GarbageTrace, Kind, ObjectCounts};
use loligo_sjson::{Nest, Writer};

use crate::frame::Engine;
use crate::loading::TextureMemory;
use crate::log::RecentLine;
use crate::memory::{Room, libraries, memory_of};

/// The most allocators of the list.
const ALLOCATORS_MAX: usize = 96;

/// The most places of a table of garbage that are sent.
#[cfg(feature = "script")]
const PLACES_MAX: usize = 24;

impl<'m> Engine<'_, 'm> {
    /// Writes the tree of allocators: for each its parent, its bytes and how it is fragmented.
    pub(super) fn write_memory(&self, writer: &mut Writer<'_>) -> fmt::Result {
        let mut all = Array::<SharedRef<'m>, _>::new_in(memory_of(&self.memory, Room::Tools));
        let mut has_room = true;
        self.memory.visit(&mut |allocator| {
            has_room &= all.len() < ALLOCATORS_MAX && all.try_push(allocator).is_ok();
        });
        writer.start(Nest::Object)?;
        writer.key("allocators")?;
        writer.start(Nest::Array)?;
        for allocator in all.iter() {
            write_allocator(*allocator, &all, writer)?;
        }
        writer.end(Nest::Array)?;
        writer.key("is_complete")?;
        writer.bool(has_room)?;
        writer.key("libraries")?;
        writer.start(Nest::Array)?;
        for site in libraries() {
            let counts = site.counts();
            writer.start(Nest::Object)?;
            writer.key("name")?;
            writer.string(site.name())?;
            let numbers = [counts.allocations, counts.frees, counts.bytes];
            write_numbers(writer, ["allocations", "frees", "bytes"].into_iter().zip(numbers))?;
            writer.end(Nest::Object)?;
        }
        writer.end(Nest::Array)?;
        writer.key("textures")?;
        match self.texture_memory() {
            Some(TextureMemory { bytes, budget, count, whole }) => {
                let numbers =
                    [("bytes", bytes), ("budget", budget), ("count", count), ("whole", whole)];
                writer.start(Nest::Object)?;
                write_numbers(writer, numbers)?;
                writer.end(Nest::Object)?;
            }
            None => writer.null()?,
        }
        writer.end(Nest::Object)
    }

    /// Writes how many there are of what a game is made of.
    pub(super) fn write_objects(&self, writer: &mut Writer<'_>) -> fmt::Result {
        let drawn = self.figures.drawn;
        writer.start(Nest::Object)?;
        let counts = [
            ("entities", self.world.entities().len() as u64),
            ("models", self.world.models().len() as u64),
            ("lights", self.world.lights().len() as u64),
            ("meshes_drawn", u64::from(drawn.meshes)),
            ("draws", drawn.draws),
            ("draw_records", u64::from(drawn.records)),
            ("lights_drawn", u64::from(drawn.lights)),
            ("frames", self.frame),
        ];
        write_numbers(writer, counts)?;
        writer.end(Nest::Object)
    }

    /// Writes the functions that scripts can call.
    #[cfg(feature = "script")]
    pub(super) fn write_functions(&self, writer: &mut Writer<'_>) -> fmt::Result {
        writer.start(Nest::Array)?;
        if let Some(scripts) = &self.scripts {
            for of in scripts.functions() {
                write_function(writer, of.name, (of.arguments, of.results), of.help)?;
            }
            for of in self.world.subsystem_functions() {
                write_function(writer, of.name, (of.arguments, of.results), of.help)?;
            }
        }
        writer.end(Nest::Array)
    }
}

/// Writes a line of the log.
pub(super) fn write_line(line: &RecentLine<'_>, writer: &mut Writer<'_>) -> fmt::Result {
    writer.start(Nest::Object)?;
    write_numbers(writer, [("number", line.number), ("ms", line.ms)])?;
    writer.key("level")?;
    // The words of `Level`, which are not longer.
    let level = match line.level {
        loligo_diagnostics::Level::Debug => "debug",
        loligo_diagnostics::Level::Info => "info",
        loligo_diagnostics::Level::Warning => "warning",
        loligo_diagnostics::Level::Error => "error",
    };
    writer.string(level)?;
    writer.key("text")?;
    writer.string(line.text)?;
    if line.is_cut {
        writer.key("is_cut")?;
        writer.bool(true)?;
    }
    writer.end(Nest::Object)
}

/// Writes which calls of scripts have made garbage since the last message.
#[cfg(feature = "script")]
pub(super) fn write_garbage(trace: &GarbageTrace<'_>, writer: &mut Writer<'_>) -> fmt::Result {
    writer.start(Nest::Object)?;
    writer.key("places")?;
    writer.start(Nest::Array)?;
    let (mut places, mut bytes, mut count) = (0, 0, 0);
    for entry in trace.entries() {
        places += 1;
        bytes += entry.bytes;
        count += entry.count;
        if places > PLACES_MAX {
            continue;
        }
        writer.start(Nest::Object)?;
        write_numbers(writer, [("bytes", entry.bytes), ("count", entry.count)])?;
        writer.key("calls")?;
        writer.start(Nest::Array)?;
        for frame in entry.frames() {
            writer.start(Nest::Array)?;
            writer.string(frame.file())?;
            writer.u64(u64::from(frame.line()))?;
            writer.end(Nest::Array)?;
        }
        writer.end(Nest::Array)?;
        writer.end(Nest::Object)?;
    }
    writer.end(Nest::Array)?;
    let lost = ("lost", trace.lost());
    write_numbers(
        writer,
        [("bytes", bytes), ("count", count), ("all_places", places as u64), lost],
    )?;
    writer.end(Nest::Object)
}

/// Writes how many objects of scripts there are, by type.
#[cfg(feature = "script")]
pub(super) fn write_script_objects(
    counts: &ObjectCounts<'_>,
    writer: &mut Writer<'_>,
) -> fmt::Result {
    writer.start(Nest::Array)?;
    for (name, count) in counts.iter() {
        writer.start(Nest::Array)?;
        writer.string(name)?;
        writer.u64(count)?;
        writer.end(Nest::Array)?;
    }
    writer.end(Nest::Array)
}

/// Writes numbers under their keys.
fn write_numbers(
    writer: &mut Writer<'_>,
    numbers: impl IntoIterator<Item = (&'static str, u64)>,
) -> fmt::Result {
    for (key, number) in numbers {
        writer.key(key)?;
        writer.u64(number)?;
    }
    Ok(())
}

fn write_allocator(
    allocator: SharedRef<'_>,
    all: &[SharedRef<'_>],
    writer: &mut Writer<'_>,
) -> fmt::Result {
    let stats = allocator.stats();
    writer.start(Nest::Object)?;
    writer.key("name")?;
    writer.string(allocator.name())?;
    writer.key("parent")?;
    let backing = allocator.backing_identity();
    let parent = backing.and_then(|of| all.iter().position(|other| other.identity() == of));
    match parent.filter(|place| all[*place].identity() != allocator.identity()) {
        Some(place) => writer.u64(place as u64)?,
        None => writer.null()?,
    }
    let numbers = [
        ("blocks", stats.live as u64),
        ("requested", stats.requested as u64),
        ("granted", stats.granted as u64),
        ("reserved", stats.reserved as u64),
        ("peak", stats.peak_granted as u64),
        ("allocations", stats.allocations_total),
    ];
    write_numbers(writer, numbers)?;
    writer.key("budget")?;
    match allocator.budget() {
        Some(bytes) => writer.u64(bytes as u64)?,
        None => writer.null()?,
    }
    // Of the memory that it holds, the part that no live block uses: free, and lost by rounding.
    writer.key("fragmentation")?;
    let part = match stats.reserved {
        0 => 0.0,
        reserved => 1.0 - stats.requested as f64 / reserved as f64,
    };
    writer.f64((part.clamp(0.0, 1.0) * 1e4).round() / 1e4)?;
    writer.end(Nest::Object)
}

#[cfg(feature = "script")]
fn write_function(
    writer: &mut Writer<'_>,
    name: &str,
    (arguments, results): (&[Kind], &[Kind]),
    help: &str,
) -> fmt::Result {
    writer.start(Nest::Object)?;
    writer.key("name")?;
    writer.string(name)?;
    for (key, kinds) in [("arguments", arguments), ("results", results)] {
        writer.key(key)?;
        writer.start(Nest::Array)?;
        kinds.iter().try_for_each(|kind| writer.string(kind.name()))?;
        writer.end(Nest::Array)?;
    }
    writer.key("help")?;
    writer.string(help)?;
    writer.end(Nest::Object)
}
