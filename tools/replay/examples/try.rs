#[global_allocator]
static G: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;
use loligo_replay::{bundled::bundled, measure::*, rows};
fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let traces: Vec<_> = bundled()
        .iter()
        .filter(|b| names.is_empty() || names.iter().any(|n| n == b.name))
        .map(|b| b.open().unwrap())
        .collect();
    let mut rows = vec![rows::Row::null()];
    rows.extend(rows::peers());
    let t = std::time::Instant::now();
    let m = measure(&traces, &rows, &Options::default(), &mut |p| {
        if p.done % 50 == 0 {
            eprintln!("{:?} {:?}", t.elapsed(), p)
        }
    })
    .unwrap();
    for m in m {
        println!(
            "{} {} {}",
            m.result.name, m.result.events, m.result.peak_live_bytes
        );
        for r in m.result.rows {
            println!(
                "  {:24} {:?} mem {:?} worst {:?} faults {:?} refused {:?} {} {} {:?}",
                r.name,
                r.ns_per_event.map(|s| (s.median, s.min, s.max)),
                r.memory_ratio,
                r.worst_ns,
                r.faults,
                r.refused,
                r.capped,
                r.events_done,
                r.note
            );
        }
    }
}
