//! From slots to events: times in nanoseconds, names as texts, scopes that nest.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::balance::{Balance, BalanceCounts};
use crate::clock::Clock;
use crate::event::{Consumer, Event, What};
use crate::name::Name;
use crate::names::Names;
use crate::slot::{Kind, Slot};

/// What [`Monitor::drain`](crate::Monitor::drain) has passed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "it says whether events were lost"]
pub struct Drained {
    /// Events that consumers saw.
    pub events: u64,
    /// Events that were lost before, of all threads: see [`What::Lost`].
    pub lost: u64,
    /// Another thread was draining, so nothing was done.
    pub busy: bool,
}

/// What is known of each thread between two drains.
pub(crate) struct Drainer<'a, A: Allocator + ?Sized> {
    /// One for each thread that there can be.
    balances: Array<'a, Balance<'a, A>, A>,
    /// What each thread has lost before the block at hand.
    pub(crate) lost: Array<'a, u64, A>,
}

impl<'a, A: Allocator + ?Sized> Drainer<'a, A> {
    pub(crate) fn try_new_in(threads: u32, memory: &'a A) -> Result<Self, GrowError> {
        let mut balances = Array::try_with_capacity_in(threads as usize, memory)?;
        for _ in 0..threads {
            balances.try_push(Balance::try_new_in(memory)?)?;
        }
        let mut lost = Array::try_with_capacity_in(threads as usize, memory)?;
        lost.extend(core::iter::repeat_n(0, threads as usize));
        Ok(Self { balances, lost })
    }

    /// Returns what had to be put right in all threads.
    pub(crate) fn counts(&self) -> BalanceCounts {
        self.balances.iter().fold(BalanceCounts::default(), |sum, balance| BalanceCounts {
            stray: sum.stray + balance.counts.stray,
            cut: sum.cut + balance.counts.cut,
            deep: sum.deep + balance.counts.deep,
        })
    }

    /// Passes a run on to the consumers.
    pub(crate) fn run(
        &mut self,
        (thread, thread_name, slots): (u32, Name, &[Slot]),
        names: &Names<'_, A>,
        clock: &Clock,
        consumers: &mut [&mut dyn Consumer],
        drained: &mut Drained,
    ) {
        let lost = core::mem::take(&mut self.lost[thread as usize]);
        let balance = &mut self.balances[thread as usize];
        let mut run =
            Run { thread, thread_name: names.text(thread_name), names, consumers, drained };
        if lost > 0 {
            run.drained.lost += lost;
            let time_ns = balance.time_ns;
            balance.cut_all(|name, cut| run.leave(time_ns, name, cut));
            run.tell(time_ns, What::Lost { events: lost });
        }
        let mut slots = slots.iter();
        while let Some(&slot) = slots.next() {
            let Some(kind) = slot.kind() else {
                continue;
            };
            if matches!(kind, Kind::Core | Kind::Enter | Kind::Leave | Kind::Frame | Kind::Ended) {
                // Another core's counter may have a smaller value.
                balance.time_ns = balance.time_ns.max(clock.ns(slot.value()));
            }
            let time_ns = balance.time_ns;
            match kind {
                Kind::Run => {}
                Kind::Core => balance.core = slot.name.number().unwrap_or(balance.core),
                Kind::Enter => {
                    if balance.enter(slot.name) {
                        let name = names.text(slot.name);
                        run.tell(time_ns, What::Enter { name, core: balance.core });
                    }
                }
                Kind::Leave => {
                    let same = |one, other| names.text(one) == names.text(other);
                    balance.leave(slot.name, same, |name, cut| run.leave(time_ns, name, cut));
                }
                Kind::Ended => balance.cut_all(|name, cut| run.leave(time_ns, name, cut)),
                Kind::Vector | Kind::Allocate | Kind::Free => {
                    let bits = slots.next().map_or(0, |slot| slot.word);
                    run.tell(time_ns, wide(kind, slot, bits, names.text(slot.name)));
                }
                Kind::Frame | Kind::Counter | Kind::Float => {
                    run.tell(time_ns, narrow(kind, slot, names.text(slot.name)));
                }
            }
        }
    }
}

/// Returns the event of a slot of plain bits.
fn narrow<'v>(kind: Kind, slot: Slot, name: &'v str) -> What<'v> {
    match kind {
        Kind::Frame => What::Frame { number: slot.name.number().unwrap_or(0) },
        Kind::Counter => What::Counter { name, value: slot.signed() },
        _ => What::Float { name, value: f32::from_bits(slot.value() as u32) },
    }
}

/// Returns the event of a slot and of the bits in the next slot.
fn wide<'v>(kind: Kind, slot: Slot, bits: u64, name: &'v str) -> What<'v> {
    let (address, bytes) = (bits, slot.value());
    match kind {
        Kind::Allocate => What::Allocate { heap: name, address, bytes },
        Kind::Free => What::Free { heap: name, address, bytes },
        _ => {
            let parts = [slot.value() as u32, bits as u32, (bits >> 32) as u32];
            What::Vector { name, value: parts.map(f32::from_bits) }
        }
    }
}

/// A run on its way to the consumers.
struct Run<'r, 'c, 'a, A: Allocator + ?Sized> {
    thread: u32,
    thread_name: &'r str,
    names: &'r Names<'a, A>,
    consumers: &'r mut [&'c mut dyn Consumer],
    drained: &'r mut Drained,
}

impl<A: Allocator + ?Sized> Run<'_, '_, '_, A> {
    fn leave(&mut self, time_ns: u64, name: Name, cut: bool) {
        let name = self.names.text(name);
        self.tell(time_ns, What::Leave { name, cut });
    }

    fn tell(&mut self, time_ns: u64, what: What<'_>) {
        let event = Event { thread: self.thread, thread_name: self.thread_name, time_ns, what };
        self.drained.events += 1;
        for consumer in &mut *self.consumers {
            consumer.event(&event);
        }
    }
}
