//! The monitor and its consumers under the suite for subsystems.

use loligo_allocators::Allocator;
use loligo_monitor::{
    ChromeTrace, Consumer, Event, GraphLimits, Graphs, Monitor, MonitorError, Options,
    PerfettoTrace, Timeline, TimelineLimits, name,
};

use crate::subsystems::conforms;

const OPTIONS: Options = Options { blocks: 2, threads: 2, names: 8 };

/// Counts events.
struct Count(u64);

impl Consumer for Count {
    fn event(&mut self, _: &Event<'_>) {
        self.0 += 1;
    }
}

#[test]
fn monitors_conform() {
    conforms(|watch| {
        let made = |memory| Monitor::try_new_in(&OPTIONS, memory);
        let state = |monitor: &Monitor<'_, _>| (monitor.stats().names, monitor.stats().threads);
        let mut monitor = watch.make(made, state)?.claiming(|_| 2 * loligo_monitor::BLOCK_BYTES);
        for text in ["a name", "another", "a name"] {
            monitor.call(|monitor| monitor.try_name(text))?;
        }
        // The thread's name is there from before, as names that were made are kept.
        monitor.call(|monitor| monitor.try_name("main"))?;
        monitor.call(|monitor| {
            let main = monitor.try_recorder("main")?;
            drop(main.scope(name!("scope")));
            main.vector3(name!("vector"), [1.0; 3]);
            main.frame();
            let mut count = Count(0);
            let drained = monitor.drain(&mut [&mut count]);
            assert_eq!((drained.events, count.0, drained.lost), (4, 4, 0));
            Ok::<_, MonitorError>(())
        })
    });
}

#[test]
fn consumers_conform() {
    conforms(|watch| {
        let monitor = watch.make(|memory| Monitor::try_new_in(&OPTIONS, memory), |_| ())?;
        let limits = TimelineLimits { threads: 2, spans: 8, names: 8 };
        let mut timeline = watch.make(
            |memory| Timeline::try_new_in(&limits, memory),
            |timeline| (timeline.tracks().len(), timeline.left_out()),
        )?;
        let limits = GraphLimits { graphs: 2, series: 4, history_max: 64 };
        let mut graphs = watch.make(|memory| Graphs::try_new_in(&limits, memory), shown)?;
        for line in [
            "graph history none 1",
            "graph make a",
            "graph history a 60",
            "graph add_vector3 a camera",
            "graph history a 20",
            "graph range a -1 1",
        ] {
            graphs.call(|graphs| match graphs.command(line) {
                // It is refused for want of a graph, not of memory.
                Err(error) if error.kind == loligo_monitor::GraphErrorKind::Unknown => Ok(()),
                result => result,
            })?;
        }
        let mut chrome = watch.make(
            |memory| ChromeTrace::try_new_in(std::io::sink(), 4, memory),
            |trace| format!("{trace:?}"),
        )?;
        let mut perfetto = watch.make(
            |memory| PerfettoTrace::try_new_in(std::io::sink(), 4, memory),
            |trace| format!("{trace:?}"),
        )?;
        timeline.call(|timeline| feed(&monitor, timeline))?;
        graphs.call(|graphs| feed(&monitor, graphs))?;
        chrome.call(|chrome| feed(&monitor, chrome))?;
        perfetto.call(|perfetto| feed(&monitor, perfetto))
    });
}

/// Returns what graphs show, but for the times, which differ from run to run.
fn shown(graphs: &Graphs<'_, dyn Allocator + '_>) -> Vec<String> {
    let series = graphs.all().iter().flat_map(|graph| {
        let head = format!("{} {:?} {}", graph.name(), graph.range(), graph.history());
        graph.series().iter().map(move |series| {
            let values: Vec<_> = series.points().map(|point| point.value).collect();
            format!("{head} {} {:?} {values:?}", series.name(), series.source())
        })
    });
    let graphs = graphs.all().iter().map(|graph| graph.name().to_owned());
    graphs.chain(series).collect()
}

/// Records something of most kinds, and shows it to a consumer.
fn feed(
    monitor: &Monitor<'_, dyn Allocator + '_>,
    consumer: &mut dyn Consumer,
) -> Result<(), MonitorError> {
    let main = monitor.try_recorder("main")?;
    drop(main.scope(name!("scope")));
    main.vector3(name!("camera"), [0.5; 3]);
    main.allocated(name!("heap"), 64, 64);
    drop(main);
    let drained = monitor.drain(&mut [consumer]);
    assert_eq!((drained.events, drained.lost), (4, 0), "all is shown, and nothing lost");
    Ok(())
}
