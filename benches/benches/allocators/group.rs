//! A family's rows as criterion groups: the contenders of the scoreboard, one after another.

use core::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput};
use loligo_benches::rows::Row;

/// Runs the rows that are races as groups under their names. The times are CPU times of the thread,
/// as on the scoreboard, of one pass over the workload; the throughput is given in operations.
pub(crate) fn run(rows: &[Row]) {
    let mut criterion = Criterion::default().configure_from_args();
    for row in rows {
        let Some(contenders) = row.contenders() else {
            continue;
        };
        let mut group = criterion.benchmark_group(row.name());
        group.sampling_mode(SamplingMode::Flat).sample_size(10);
        for mut contender in contenders {
            let operations = contender.pass().operations;
            group.throughput(Throughput::Elements(operations));
            group.bench_function(contender.name(), |bencher| {
                bencher.iter_custom(|passes| {
                    (0..passes).map(|_| Duration::from_nanos(contender.pass().ns)).sum()
                });
            });
        }
        group.finish();
    }
    criterion.final_summary();
}
