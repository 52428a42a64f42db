//! The checks of a stream of events.

use crate::rule::{Rule, Violation, require};

use super::{Stream, StreamLimits};

/// What a check found.
type Found = Result<(), Violation>;

/// Events of a check that needs some.
const SOME: u32 = 100;
/// Events of a check that needs many.
const MANY: u32 = 20_000;
/// How many bytes a check writes into a bounded stream that is not meant to become full.
const BYTES: usize = 64;

/// An event by its number: its kind, and a payload of `bytes` bytes that depend on the number.
fn event(number: u32, bytes: usize) -> (u32, Vec<u8>) {
    let byte = |place: usize| (number as usize * 31 + place * 7) as u8;
    (number.wrapping_mul(0x9e37_79b9), (0..bytes).map(byte).collect())
}

/// How many events of `BYTES` bytes a check may append that would like `count`.
fn room(count: u32, limits: &StreamLimits) -> u32 {
    // Half of the promised bytes are left for what the stream stores with each payload.
    limits.bytes_max.map_or(count, |most| count.min((most / 2 / BYTES) as u32))
}

fn append(stream: &mut dyn Stream, (kind, payload): &(u32, Vec<u8>)) -> Found {
    require(stream.append(*kind, payload), Rule::Served, || {
        format!("append of an event of {} bytes is refused", payload.len())
    })
}

/// Checks that exactly these events are read, in this order.
fn holds(stream: &dyn Stream, expected: &[(u32, Vec<u8>)]) -> Found {
    let mut count = 0;
    let mut wrong = None;
    stream.read(&mut |kind, payload| {
        let event = expected.get(count);
        if wrong.is_none()
            && event.is_none_or(|(right, bytes)| (*right, bytes.as_slice()) != (kind, payload))
        {
            wrong = Some(format!(
                "event {count} is read as kind {kind:#x} with {} bytes; appended was {}",
                payload.len(),
                event.map_or("none".to_owned(), |(right, bytes)| {
                    format!("kind {right:#x} with {} bytes, or other contents", bytes.len())
                })
            ));
        }
        count += 1;
    });
    if let Some(wrong) = wrong {
        return Err(Violation::new(Rule::Order, wrong));
    }
    require(count == expected.len(), Rule::Model, || {
        format!("{count} events are read of {} that were appended", expected.len())
    })?;
    require(stream.is_empty() == expected.is_empty(), Rule::Model, || {
        format!("is_empty is {} with {count} events", stream.is_empty())
    })
}

/// Appends events and checks that all are read.
fn fill(stream: &mut dyn Stream, events: &[(u32, Vec<u8>)]) -> Found {
    events.iter().try_for_each(|event| append(stream, event))?;
    holds(stream, events)
}

/// A fresh stream is empty.
pub(super) fn empty(stream: &mut dyn Stream, _limits: &StreamLimits) -> Found {
    holds(stream, &[])?;
    stream.clear();
    holds(stream, &[])
}

/// Events are read in the order in which they were appended, after each one.
pub(super) fn order(stream: &mut dyn Stream, limits: &StreamLimits) -> Found {
    let events: Vec<_> = (0..room(SOME, limits)).map(|number| event(number, 12)).collect();
    for (count, event) in events.iter().enumerate() {
        append(stream, event)?;
        holds(stream, &events[..=count])?;
    }
    Ok(())
}

/// Every number is a kind like any other.
pub(super) fn kinds(stream: &mut dyn Stream, limits: &StreamLimits) -> Found {
    let kinds = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0, u32::MAX];
    let count = room(kinds.len() as u32, limits) as usize;
    let events: Vec<_> = kinds[..count].iter().map(|&kind| (kind, vec![kind as u8; 8])).collect();
    fill(stream, &events)
}

/// Payloads of every small length, none at all included, come back byte for byte.
pub(super) fn lengths(stream: &mut dyn Stream, limits: &StreamLimits) -> Found {
    let longest = BYTES.min(limits.payload_max);
    let lengths = (0..=longest).chain((0..=longest).rev()).take(room(SOME, limits) as usize);
    let events: Vec<_> = lengths.zip(0..).map(|(bytes, number)| event(number, bytes)).collect();
    fill(stream, &events)
}

/// Every payload is aligned as promised, whatever is before it.
pub(super) fn alignment(stream: &mut dyn Stream, limits: &StreamLimits) -> Found {
    for number in 0..room(SOME, limits) {
        append(stream, &event(number, (number as usize * 5 + 1) % 23))?;
    }
    let mut wrong = None;
    stream.read(&mut |_, payload| {
        let address = payload.as_ptr().addr();
        if !payload.is_empty() && !address.is_multiple_of(limits.align) {
            wrong = Some(format!("a payload of {} bytes lies at {address:#x}", payload.len()));
        }
    });
    wrong.map_or(Ok(()), |wrong| {
        let promised = format!("{wrong}, which is not aligned to {}", limits.align);
        Err(Violation::new(Rule::Alignment, promised))
    })
}

/// Reading takes nothing away.
pub(super) fn read_again(stream: &mut dyn Stream, limits: &StreamLimits) -> Found {
    let events: Vec<_> = (0..room(SOME, limits)).map(|number| event(number, 9)).collect();
    fill(stream, &events)?;
    holds(stream, &events)?;
    holds(stream, &events)
}

/// Clearing removes all, and what comes after is read alone.
pub(super) fn clear(stream: &mut dyn Stream, limits: &StreamLimits) -> Found {
    for round in 1..=3 {
        let events: Vec<_> =
            (0..room(SOME, limits) / round).map(|number| event(number + round, 7)).collect();
        fill(stream, &events)?;
        stream.clear();
        holds(stream, &[])?;
    }
    Ok(())
}

/// Many events are all there, however often the stream had to grow for them.
pub(super) fn growth(stream: &mut dyn Stream, limits: &StreamLimits) -> Found {
    let count = room(MANY, limits);
    let events: Vec<_> = (0..count).map(|number| event(number, number as usize % 40)).collect();
    fill(stream, &events)
}

/// An event as great as the limits say is taken between small ones.
pub(super) fn great_payload(stream: &mut dyn Stream, limits: &StreamLimits) -> Found {
    let greatest = limits.payload_max.min(limits.bytes_max.map_or(usize::MAX, |most| most / 2));
    fill(stream, &[event(1, 3), event(2, greatest), event(3, 5)])
}

/// A bounded stream refuses in the end, stays as it was, and is used again when it was cleared.
pub(super) fn full(stream: &mut dyn Stream, limits: &StreamLimits) -> Found {
    let Some(most) = limits.bytes_max else { return Ok(()) };
    for _ in 0..2 {
        let mut events = Vec::new();
        loop {
            let event = event(events.len() as u32, BYTES);
            if !stream.append(event.0, &event.1) {
                break;
            }
            events.push(event);
            require(events.len() * BYTES <= most, Rule::Bound, || {
                format!("{} bytes of payload were taken, more than {most}", events.len() * BYTES)
            })?;
        }
        holds(stream, &events)?;
        stream.clear();
        holds(stream, &[])?;
    }
    Ok(())
}
