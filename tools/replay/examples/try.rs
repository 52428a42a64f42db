#![allow(unsafe_code)]
#[global_allocator]
static G: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;
use loligo_replay::{bundled::bundled, measure::*, rows, table::*};
fn cpu(who: i32) -> f64 { unsafe { let mut u: libc::rusage = std::mem::zeroed(); libc::getrusage(who, &mut u); (u.ru_utime.tv_sec + u.ru_stime.tv_sec) as f64 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) as f64 / 1e6 } }
fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut traces: Vec<_> = bundled()
        .iter()
        .filter(|b| names.is_empty() || names.iter().any(|n| n == b.name))
        .map(|b| b.open().unwrap())
        .collect();
    for n in &names {
        if n.contains('/') {
            traces.push(loligo_replay::trace::Trace::open(std::path::Path::new(n)).unwrap());
        }
    }
    let mut rows = vec![rows::Row::null()];
    rows.extend(loligo_replay::ours());
    rows.extend(
        loligo_replay::strategies::built_in()
            .iter()
            .map(|s| s.row()),
    );
    rows.extend(rows::peers());
    let t = std::time::Instant::now();
    let mut phase = None;
    let o = Options {
        verify: std::env::var("VERIFY").is_ok(),
        ..Options::default()
    };
    let m = measure(&traces, &rows, &o, &mut |p| {
        let k = (p.trace.to_string(), p.phase);
        if phase.as_ref() != Some(&k) {
            eprintln!("{:?} self {:.2} children {:.2} {} {:?}", t.elapsed(), cpu(libc::RUSAGE_SELF), cpu(libc::RUSAGE_CHILDREN), p.trace, p.phase);
            phase = Some(k)
        }
    })
    .unwrap();
    eprintln!("{:?} self {:.2} children {:.2}", t.elapsed(), cpu(libc::RUSAGE_SELF), cpu(libc::RUSAGE_CHILDREN));
 let res = loligo_replay::results::Results { traces: m.iter().map(|m| m.result.clone()).collect() };
 loligo_replay::report::prepare(std::path::Path::new("/tmp/rep2")).unwrap().write(&res, &traces).unwrap();
 eprintln!("report {:?} self {:.2} children {:.2}", t.elapsed(), cpu(libc::RUSAGE_SELF), cpu(libc::RUSAGE_CHILDREN));
    for m in m {
        println!("{}{}", Table(&m.result), sentence(&m.result));
        for (r, v) in m.result.rows.iter().zip(&m.verified) {
            if let Some(v) = v {
                println!(
                    "{} {} lost {:?} refused {}",
                    r.name, v.events_done, v.losses, v.refused
                );
            }
        }
    }
}
