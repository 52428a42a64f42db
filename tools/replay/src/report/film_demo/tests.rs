//! x
use super::*;
#[test]
fn seeds() {
    for seed in 1..200u64 {
        let f = film_of(seed).unwrap();
        let refused = f.calls.iter().filter(|c| matches!(c.call, crate::report::data::Call::Allocate{block:None,..})).count();
        let live: Vec<usize> = f.calls.iter().map(|c| c.states.bytes().filter(|s| *s == b'a').count()).collect();
        let whole = f.calls.windows(2).filter(|w| w[1].states.starts_with('f') && !w[0].states.starts_with('f')).count();
        let mean = live.iter().sum::<usize>() as f64 / live.len() as f64;
        println!("seed {seed} {refused} {} {mean:.1} {whole}", live.iter().max().unwrap());
    }
}
