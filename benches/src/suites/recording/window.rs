//! A window of a recording as a recording: the blocks that are live at its beginning come first.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use loligo_replay::trace::{Event, Op, Trace, write_trace};

/// The level of zstd: the slowest of the usual ones, since a file is bundled once.
const LEVEL: i32 = 19;

/// Writes a window of a recording, compressed; returns how many blocks were live at its beginning.
///
/// # Errors
///
/// A sentence with the file and the reason.
pub(crate) fn cut(from: &Path, to: &Path, after: usize, calls: usize) -> Result<usize, String> {
    let trace = Trace::open(from).map_err(|error| error.to_string())?;
    let recorded = trace.events.len();
    if after.saturating_add(calls) > recorded {
        return Err(format!(
            "{}: {calls} calls after {after} are asked for, and {recorded} calls are recorded; \
             record with a larger --max-events",
            from.display()
        ));
    }
    let (events, live) = window(&trace.events, after, calls);
    write(to, &events).map_err(|error| format!("cannot write {}: {error}", to.display()))?;
    Ok(live)
}

/// Returns allocations of the blocks that are live after the first `after` events, in the order in
/// which they were allocated, and then as many events as there are calls; and how many were live.
pub(super) fn window(events: &[Event], after: usize, calls: usize) -> (Vec<Event>, usize) {
    let mut live: Vec<Option<(usize, Event)>> = Vec::new();
    for (number, event) in events[..after].iter().enumerate() {
        let slot = event.slot as usize;
        if slot >= live.len() {
            live.resize(slot + 1, None);
        }
        live[slot] = match (event.op, live[slot]) {
            (Op::Free, _) => None,
            (Op::Reallocate, Some((begun, _))) => Some((begun, *event)),
            _ => Some((number, *event)),
        };
    }
    let mut begun: Vec<_> = live.into_iter().flatten().collect();
    begun.sort_unstable_by_key(|(number, _)| *number);
    let mut slots = Slots::default();
    let before = begun.iter().map(|(_, event)| Event { op: Op::Allocate, ..*event });
    let all = before.chain(events[after..after + calls].iter().copied());
    (all.map(|event| slots.renumber(event)).collect(), begun.len())
}

/// New numbers of slots: a trace uses none before those below it were used.
#[derive(Default)]
struct Slots {
    /// By the old number.
    new: Vec<u32>,
    freed: Vec<u32>,
    count: u32,
}

impl Slots {
    fn renumber(&mut self, event: Event) -> Event {
        let old = event.slot as usize;
        if matches!(event.op, Op::Allocate | Op::AllocateZeroed) {
            let new = self.freed.pop().unwrap_or_else(|| {
                self.count += 1;
                self.count - 1
            });
            self.new.resize(self.new.len().max(old + 1), 0);
            self.new[old] = new;
        }
        let slot = self.new[old];
        if event.op == Op::Free {
            self.freed.push(slot);
        }
        Event { slot, thread: 0, ..event }
    }
}

fn write(path: &Path, events: &[Event]) -> io::Result<()> {
    let mut trace = Vec::new();
    write_trace(&mut trace, events)?;
    let mut file = zstd::stream::write::Encoder::new(File::create(path)?, LEVEL)?;
    file.include_checksum(true)?;
    file.write_all(&trace)?;
    file.finish()?.sync_all()
}
