//! Tests with counters set by hand: damage that `validate` finds, and wide reports.

use core::fmt::{self, Write as _};
use core::panic::Location;
use core::ptr::NonNull;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::Ledger;
use crate::contract::allocator::Allocator;
use crate::contract::stats::Stats;
use crate::testing::test_backing::TestBacking;
use crate::wrappers::trace::entry::Entry;
use crate::wrappers::trace::groups::tests::LOST;
use crate::wrappers::trace::recorder::tests::MISCOUNTED;
#[cfg(feature = "stacks")]
use crate::wrappers::trace::stack::Stack;
use crate::wrappers::trace::tests::take;
use crate::wrappers::trace::{TraceAllocator, WriteSink};

type Trace<'a> = TraceAllocator<'a, TestBacking, TestBacking>;

const CONTRADICTS: &str = "the record of a block contradicts itself";
const DIFFER: &str = "the recorded blocks and the counters differ";

/// Returns the result of `verify`.
fn said(trace: &Trace<'_>) -> Result<(), &'static str> {
    trace.verify().map_err(|damage| damage.what)
}

fn give_back(trace: &Trace<'_>, blocks: &[NonNull<u8>]) {
    for &block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
}

#[test]
fn nothing_is_counted_at_first() {
    let books = TestBacking::new();
    let ledger = Ledger::new(&books);
    assert_eq!(ledger.stats(), Stats { exact: true, ..Stats::default() });
    assert_eq!((ledger.bytes(), books.requests()), (0, 0), "and nothing is taken");
    ledger.validate().expect("sound");
}

#[test]
fn an_entry_that_contradicts_itself_is_found() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = Trace::new_in("trace", &backing, &books);
    let blocks: Vec<_> = (0..3).map(|size| take(&trace, 10 + size)).collect();
    let ledger = &trace.ledger;
    for &block in &blocks {
        let place = ledger.place_of(block).expect("it is live");
        let whole = ledger.at(place);
        let with = |change: fn(&mut Entry)| {
            let mut entry = whole;
            change(&mut entry);
            entry
        };
        let granted = ledger.granted.get();
        let less = granted - whole.granted + whole.bytes - 1;
        for (entry, granted_now) in [
            (with(|entry| entry.block = NonNull::dangling()), granted),
            (with(|entry| entry.group = 1), granted),
            (with(|entry| entry.group = u32::MAX), granted),
            (with(|entry| entry.granted = entry.bytes - 1), less),
        ] {
            ledger.blocks.set_at(place, entry);
            ledger.granted.set(granted_now);
            assert_eq!(said(&trace), Err(CONTRADICTS), "{entry:?} at {block:p}");
            ledger.blocks.set_at(place, whole);
            ledger.granted.set(granted);
            assert_eq!(said(&trace), Ok(()), "mended");
        }
    }
    give_back(&trace, &blocks);
}

#[test]
fn counters_that_differ_are_found() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = Trace::new_in("trace", &backing, &books);
    let blocks = [take(&trace, 10), take(&trace, 20)];
    let Ledger { requested, granted, groups, .. } = &trace.ledger;
    for counter in [requested, granted] {
        for by in [1, usize::MAX] {
            let was = counter.get();
            counter.set(was.wrapping_add(by));
            assert_eq!(said(&trace), Err(DIFFER), "{was} and {by}");
            counter.set(was);
            assert_eq!(said(&trace), Ok(()), "mended");
        }
    }
    for (blocks, bytes) in [(1, 0), (usize::MAX, 0), (0, 1), (0, usize::MAX)] {
        let was = groups.get(0);
        groups.update(0, |group| {
            group.blocks = group.blocks.wrapping_add(blocks);
            group.bytes = group.bytes.wrapping_add(bytes);
        });
        assert_eq!(said(&trace), Err(DIFFER), "{blocks} blocks and {bytes} bytes more");
        groups.update(0, |group| *group = was);
        assert_eq!(said(&trace), Ok(()), "mended");
    }
    give_back(&trace, &blocks);
}

#[test]
fn damage_of_the_tables_is_found() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let sink = WriteSink::new(Vec::new());
    let trace = Trace::new_in("trace", &backing, &books);
    let block = take(&trace, 10);
    trace.ledger.groups.lose(0);
    assert_eq!(said(&trace), Err(LOST), "a group in no slot");
    trace.ledger.groups.lose(0);
    trace.start_recording(&sink).expect("the books have room");
    assert_eq!(said(&trace), Ok(()), "mended");
    trace.ledger.recorder.lose_slot(true);
    assert_eq!(said(&trace), Err(MISCOUNTED), "a slot without a block");
    trace.ledger.recorder.lose_slot(false);
    assert_eq!(said(&trace), Ok(()), "mended");
    trace.finish_recording().expect("a vector takes everything");
    give_back(&trace, &[block]);
}

/// Returns the sites of the live blocks, the largest first.
fn sites(trace: &Trace<'_>) -> Vec<&'static Location<'static>> {
    let mut sites = Vec::new();
    trace.walk_sites(&mut |usage| sites.push(usage.site));
    sites
}

#[test]
fn a_report_of_one_block_is_in_the_singular() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = Trace::new_in("level", &backing, &books);
    let block = take(&trace, 0);
    assert_eq!(
        trace.report().to_string(),
        format!(
            "allocator `level`: 1 live block of 0 bytes, from 1 site\n  \
             blocks  bytes  oldest  site\n  \
             \u{20}    1      0      #1  {}",
            sites(&trace)[0]
        )
    );
    give_back(&trace, &[block]);
}

#[test]
fn columns_are_as_wide_as_what_stands_in_them() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = Trace::new_in("level", &backing, &books);
    let ledger = &trace.ledger;
    ledger.allocations_total.set(6);
    let first = take(&trace, 10);
    ledger.allocations_total.set(999_998);
    let second = take(&trace, 20);
    let found = sites(&trace);
    let ([large, small], was) = (found[..].as_array().expect("two sites"), ledger.groups.get(1));
    for (blocks, bytes, table) in [
        (
            1,
            20,
            "blocks  bytes   oldest  site\n  \
             \u{20}    1     20  #999999  LARGE\n  \
             \u{20}    1     10       #7  SMALL",
        ),
        (
            1_234_567,
            98_765_432,
            " blocks     bytes   oldest  site\n  \
             1234567  98765432  #999999  LARGE\n  \
             \u{20}     1        10       #7  SMALL",
        ),
        (
            123_456,
            654_321,
            "blocks   bytes   oldest  site\n  \
             123456  654321  #999999  LARGE\n  \
             \u{20}    1      10       #7  SMALL",
        ),
    ] {
        ledger.groups.update(1, |group| (group.blocks, group.bytes) = (blocks, bytes));
        let table = table.replace("LARGE", &large.to_string()).replace("SMALL", &small.to_string());
        assert_eq!(
            trace.report().to_string(),
            format!("allocator `level`: 2 live blocks of 30 bytes, from 2 sites\n  {table}")
        );
    }
    ledger.groups.update(1, |group| (group.blocks, group.bytes) = (was.blocks, was.bytes));
    give_back(&trace, &[first, second]);
}

/// Accepts the given number of pieces, then refuses one, and counts later ones.
struct Breaking {
    left: usize,
    late: usize,
    is_broken: bool,
    text: String,
}

impl fmt::Write for Breaking {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.is_broken {
            self.late += 1;
        } else if self.left == 0 {
            self.is_broken = true;
            return Err(fmt::Error);
        } else {
            self.left -= 1;
            self.text.push_str(text);
        }
        Ok(())
    }
}

#[test]
fn a_report_ends_where_it_cannot_be_written() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = Trace::new_in("level", &backing, &books);
    let blocks = [take(&trace, 1), take(&trace, 1), take(&trace, 2)];
    #[cfg(feature = "stacks")]
    for frames in [[1, 2, 3], [4, 5, 6]] {
        let groups = &trace.ledger.groups;
        let site = Location::caller();
        let number = groups.of(site, Some(&Stack::of(&frames)), &books).expect("there is room");
        groups.update(number, |group| (group.blocks, group.bytes) = (1, 10 * frames[0]));
    }
    let whole = trace.report().to_string();
    #[cfg(feature = "stacks")]
    {
        let part = "\n       0: (no symbol)\n       1: (no symbol)\n       2: (no symbol)\n  ";
        assert_eq!(whole.matches(part).count(), 2, "a stack below each of two sites: {whole}");
        assert_eq!(whole.matches("(no symbol)").count(), 6, "and none below others: {whole}");
    }
    for left in 0.. {
        let text = String::new();
        let mut writer = Breaking { left, late: 0, is_broken: false, text };
        let result = write!(writer, "{}", trace.report());
        assert!(whole.starts_with(&writer.text), "{left} pieces: {}", writer.text);
        if !writer.is_broken {
            assert_eq!((result, &writer.text), (Ok(()), &whole), "it takes all {left} pieces");
            break;
        }
        assert_eq!((result, writer.late), (Err(fmt::Error), 0), "it took {left} pieces");
    }
    give_back(&trace, &blocks);
}
