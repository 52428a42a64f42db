//! Tests of the table and the sentence.

use super::*;
use crate::results::{Spread, ThreadFigures};

fn row(name: &str, kind: Kind, median: f64) -> RowResult {
    RowResult {
        name: name.to_owned(),
        kind,
        ns_per_event: Some(Spread { median, min: median - 1.0, max: median + 1.0 }),
        memory_ratio: Some(1.0625),
        peak_bytes: None,
        worst_ns: Some(1234.4),
        faults: Some(0),
        refused: Some(0),
        capped: false,
        events_done: 2_000_000,
        rounds_ns: vec![],
        note: None,
        threads: None,
    }
}

fn result(rows: Vec<RowResult>) -> TraceResult {
    TraceResult { name: "lua".to_owned(), events: 2_000_000, peak_live_bytes: 12_345, rows }
}

fn capped(mut row: RowResult) -> RowResult {
    row.capped = true;
    row.events_done = 33_280;
    row
}

#[test]
fn tables_are_aligned_and_sorted() {
    let mut null = in_rounds(row("null", Kind::Loop, 2.0));
    (null.memory_ratio, null.worst_ns, null.refused) = (None, None, None);
    let result = result(vec![
        null,
        capped(row("linked_list_allocator", Kind::Peer, 1.0)),
        RowResult { peak_bytes: Some(14_345), ..in_rounds(row("heap", Kind::Ours, 5.5)) },
        RowResult { peak_bytes: Some(15_345), ..in_rounds(row("system", Kind::Peer, 11.25)) },
    ]);
    let text = Table(&result).to_string();
    let expected = "\
lua: 2 000 000 events, peak of 12 345 live bytes
  row                    kind  ns/event    min    max  of heap  memory  of heap  worst ns  faults  refused
  null                   loop      2.00   1.00   3.00        -       -        -         -       0        -
  heap                   ours      5.50   4.50   6.50     1.00   1.062     1.00     1 234       0        0
  system                 peer     11.25  10.25  12.25     2.64   1.062     1.50     1 234       0        0
  linked_list_allocator  peer      1.00   0.00   2.00        -   1.062        -     1 234       0        0  \
capped after 33 280 events
";
    assert_eq!(text, expected);
}

fn of_threads(mut row: RowResult, waits: u64) -> RowResult {
    let elapsed_ns = row.ns_per_event.map(|ns| {
        let ms = |ns: f64| 2e6 * ns;
        Spread { median: ms(ns.median), min: ms(ns.min), max: ms(ns.max) }
    });
    let rate = row.ns_per_event.map_or(0.0, |ns| 1e9 / ns.median);
    row.threads = Some(ThreadFigures {
        threads: 4,
        recorded_threads: 12,
        elapsed_ns,
        events_per_second: Some(Spread { median: rate, min: rate, max: rate }),
        cpu_ns_per_event: Some(31.5),
        hand_overs: 12_345,
        waits: Some(waits),
        peak_bytes: row.peak_bytes,
        peak_live_bytes: None,
    });
    row
}

#[test]
fn a_table_of_threads_has_their_figures() {
    let mut heap = row("thread-heap", Kind::Ours, 20.0);
    heap.peak_bytes = Some(5 << 20);
    let mut locked = row("locked-heap", Kind::Ours, 62.5);
    locked.memory_ratio = None;
    let rows = vec![of_threads(locked, 0), capped(of_threads(heap, 1500))];
    let text = Table(&result(rows)).to_string();
    let expected = "\
lua: 2 000 000 events, peak of 12 345 live bytes
  4 threads for 12 of the program, 12 345 events on a block of another thread
  row          kind      ms     min     max    events/s  CPU ns  waits  memory  peak KiB  faults  \
refused
  locked-heap  ours  125.00  123.00  127.00  16 000 000   31.50      0       -         -       0        \
0
  thread-heap  ours   40.00   38.00   42.00  50 000 000   31.50  1 500   1.062     5 120       0        \
0  capped after 33 280 events
";
    assert_eq!(text, expected);
}

/// The row with five rounds, each a little slower than the one before.
fn in_rounds(mut row: RowResult) -> RowResult {
    let median = row.ns_per_event.map_or(0.0, |ns| ns.median);
    row.rounds_ns = (0..9).map(|round| median + 0.01 * f64::from(round)).collect();
    row
}

#[test]
fn the_best_serves_everything_ours_or_not() {
    let mut refusing = row("buddy", Kind::Ours, 3.0);
    refusing.refused = Some(1);
    let mut rows = vec![
        in_rounds(row("null", Kind::Loop, 1.0)),
        refusing,
        capped(row("page", Kind::Ours, 2.0)),
        in_rounds(row("pools+heap", Kind::Strategy, 4.0)),
        in_rounds(row("heap", Kind::Ours, 5.0)),
        row("system", Kind::Peer, 8.0),
        row("talc", Kind::Peer, 6.0),
    ];
    assert_eq!(
        sentence(&result(rows.clone())),
        "lua: `pools+heap` serves it best with 4.00 ns an event and 1.062 times its live bytes at \
         the peak; 0.75 (0.75..0.75) of the heap's time above the loop; 0.50 of the time of the \
         system's malloc."
    );
    rows.push(in_rounds(row("mimalloc", Kind::Peer, 3.0)));
    let text = sentence(&result(rows.clone()));
    assert!(text.starts_with("lua: `mimalloc` serves it best with 3.00 ns an event"), "{text}");
    assert!(text.contains(". Of ours it is `pools+heap` with 4.00 ns an event"), "{text}");
    rows[3] = in_rounds(row("pools+heap", Kind::Strategy, 4.9));
    let text = sentence(&result(rows));
    assert!(
        text.contains("0.98 (0.98..0.98) of the heap's time above the loop, which is no gain"),
        "{text}"
    );
}

#[test]
fn a_sentence_stands_without_peers_and_without_a_best() {
    let text = sentence(&result(vec![row("heap", Kind::Ours, 5.0)]));
    assert_eq!(
        text,
        "lua: `heap` serves it best with 5.00 ns an event and 1.062 times its live bytes at the \
         peak."
    );
    let text = sentence(&result(vec![row("talc", Kind::Peer, 5.0)]));
    assert!(text.ends_with(" Nothing of ours served all of it."), "{text}");
    assert_eq!(sentence(&result(Vec::new())), "lua: nothing served all of it.");
    let few = TraceResult { events: 1999, ..result(vec![row("heap", Kind::Ours, 5.0)]) };
    let expected =
        "lua: 1 999 events are too few to say what serves it best; record 2 000 at least.";
    assert_eq!(sentence(&few), expected);
}

#[test]
fn digits_come_in_threes() {
    for (number, text) in [(0, "0"), (999, "999"), (1_000, "1 000"), (12_345_678, "12 345 678")] {
        assert_eq!(grouped(number), text);
    }
}
