//! What a farm of a hundred workers with one cache would cost: a simulation, since nobody has a
//! hundred machines on a desk. The same numbers give the same table everywhere.
//!
//! ```text
//! cargo run -p loligo-compiler --example farm [-- WORKERS [RESOURCES [MEAN_MS]]]
//! ```
//!
//! Each worker compiles its shard, one resource after another, as `loligo compile --shard I/N
//! --jobs 1` does: two requests for each resource (a list of questions, and the result), three where
//! the bytes are long. What is not found is compiled and put into the cache by two requests. Then
//! one machine merges: it takes all of it, with as many requests at a time as it has jobs.
//!
//! How long a resource takes is drawn: most are short and few are long, as Pareto found of incomes.
//! A store of objects answers half of its requests in the given time, and one of a hundred in four
//! times that.

use core::error::Error;
use std::env;

/// How many requests the machine that merges has at a time.
const MERGE_JOBS: f64 = 64.0;

/// What a project is like, and its farm.
#[derive(Clone, Copy)]
struct Farm {
    workers: u64,
    resources: u64,
    /// The mean time that a resource takes to compile.
    mean_ms: f64,
    /// The time in which half of the requests are answered.
    latency_ms: f64,
    /// The part of the resources that the cache has already.
    hits: f64,
}

/// What it costs.
struct Cost {
    /// Until the last worker has done its share.
    shards_s: f64,
    /// Until the merge has all.
    merge_s: f64,
    /// Processors' time that is spent on compiling, by all workers.
    compiling_s: f64,
    /// The part of the workers' time that they wait for the cache.
    waiting: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let workers = arguments.next().map_or(Ok(100), |workers| workers.parse())?;
    let resources = arguments.next().map_or(Ok(100_000), |resources| resources.parse())?;
    let mean_ms = arguments.next().map_or(Ok(200.0), |mean| mean.parse())?;
    if workers == 0 || resources == 0 || mean_ms <= 0.0 {
        return Err("give a number of workers, of resources, and a mean of milliseconds".into());
    }
    let farm = Farm { workers, resources, mean_ms, latency_ms: 0.0, hits: 0.0 };
    let alone = cost(Farm { workers: 1, ..farm });
    println!("{workers} workers, {resources} resources of {mean_ms} ms on average");
    println!("one process without a cache: {:.0} s", alone.compiling_s);
    println!();
    println!("latency   hit rate   shards     merge      waiting   speed-up");
    println!("     ms          %        s         s            %          x");
    for latency_ms in [1.0, 10.0, 50.0, 200.0] {
        for hits in [0.0, 0.5, 0.9, 0.99] {
            let cost = cost(Farm { latency_ms, hits, ..farm });
            let whole = cost.shards_s + cost.merge_s;
            println!(
                "{latency_ms:>7} {:>10} {:>8.1} {:>9.1} {:>12.1} {:>10.1}",
                hits * 100.0,
                cost.shards_s,
                cost.merge_s,
                cost.waiting * 100.0,
                alone.compiling_s / whole
            );
        }
    }
    Ok(())
}

/// Simulates a farm.
fn cost(farm: Farm) -> Cost {
    let mut busy_ms = vec![0.0; farm.workers as usize];
    let (mut compiling_ms, mut waiting_ms, mut merge_ms) = (0.0, 0.0, 0.0);
    for resource in 0..farm.resources {
        let drawn = |turn: u64| unit(resource * 16 + turn);
        // A shard is drawn by the hash of a name, so some workers have more than others.
        let worker = (drawn(0) * farm.workers as f64) as usize;
        let is_long = drawn(1) < 0.2;
        let requests = |first: u64, count: u64| -> f64 {
            (first..first + count).map(|turn| request_ms(farm.latency_ms, drawn(turn))).sum()
        };
        let mut waited = requests(2, 2 + u64::from(is_long));
        if drawn(5) >= farm.hits {
            let compiled = compile_ms(farm.mean_ms, drawn(6));
            waited += requests(7, 2 + u64::from(is_long));
            compiling_ms += compiled;
            busy_ms[worker] += compiled;
        }
        busy_ms[worker] += waited;
        waiting_ms += waited;
        merge_ms += requests(10, 2 + u64::from(is_long));
    }
    let longest = busy_ms.iter().copied().fold(0.0, f64::max);
    Cost {
        shards_s: longest / 1e3,
        merge_s: merge_ms / MERGE_JOBS / 1e3,
        compiling_s: compiling_ms / 1e3,
        waiting: waiting_ms / (waiting_ms + compiling_ms),
    }
}

/// Returns how long a request takes: half as long as the median at least, and four times as long for
/// one of a hundred.
fn request_ms(median_ms: f64, drawn: f64) -> f64 {
    match drawn {
        drawn if drawn < 0.99 => median_ms * (0.5 + drawn),
        _ => median_ms * 4.0,
    }
}

/// Returns how long a resource takes: a Pareto distribution of shape 2, cut at a hundred times its
/// mean. Its mean is twice its least.
fn compile_ms(mean_ms: f64, drawn: f64) -> f64 {
    let least = mean_ms / 2.0;
    (least / (1.0 - drawn).sqrt()).min(mean_ms * 100.0)
}

/// Returns a number from 0 to 1 for a place: SplitMix64, by Sebastiano Vigna (2015), in the public
/// domain.
fn unit(place: u64) -> f64 {
    let mut number = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((number ^ (number >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
