//! The collector keeps to its share.

use loligo_script::{Collected, Collector, CollectorSettings, Route, Script, Value};

use crate::memory::with_memory;
use crate::world::{World, machine, shown};

/// Scripts that make garbage: each keeps what `start` makes, and lets go of all that `update`
/// makes.
const LOADS: &[(&str, &str, &str)] = &[
    (
        "tables",
        "for i = 1, 20000 do keep[i] = { i } end",
        "for i = 1, 100 do last = { frame, i } end",
    ),
    (
        "texts",
        "for i = 1, 20000 do keep[i] = 'kept ' .. i end",
        "for i = 1, 100 do last = frame .. ' ' .. i end",
    ),
    (
        "large",
        "for i = 1, 100 do keep[i] = {} for j = 1, 1000 do keep[i][j] = j end end",
        "for i = 1, 3 do last = {} for j = 1, 200 do last[j] = j end end",
    ),
    (
        "bursts",
        "for i = 1, 20000 do keep[i] = { i } end",
        "for i = 1, frame % 4 == 0 and 300 or 30 do last = { frame, i } end",
    ),
    (
        "replaced",
        "for i = 1, 20000 do keep[i] = { i } end",
        "for i = 1, 100 do keep[(frame * 100 + i) % 20000 + 1] = { frame } end",
    ),
];

fn run(
    (start, update): (&str, &str),
    frames: u32,
    mut look: impl FnMut(u32, &Collected, &mut Script<'_, World>),
) {
    with_memory(|memory| {
        let mut world = World::default();
        let mut script = machine(Route::Foreign, memory);
        let code = format!("keep = {{}} {start} function update(frame) {update} end");
        assert_eq!(shown(&mut script, &mut world, &code), "", "{code} is Lua");
        let update = script.callback("update").unwrap();
        script.collect_all().unwrap();
        let mut collector = Collector::new(CollectorSettings::default());
        for frame in 0..frames {
            script.begin_frame();
            script.call(&mut world, update, &[Value::Number(f64::from(frame))]).unwrap();
            let before = script.memory_use().live_bytes;
            let collected = collector.collect(&mut script, || false).unwrap();
            assert_eq!(before - collected.freed_bytes, collected.live_bytes, "at frame {frame}");
            look(frame, &collected, &mut script);
        }
    });
}

#[test]
fn the_share_of_garbage_stays_within_two_points_from_frame_120_on() {
    let target = CollectorSettings::default().garbage_share;
    for (name, start, update) in LOADS {
        let mut cycles = 0;
        run((start, update), 600, |frame, collected, _| {
            cycles += collected.cycles;
            if frame >= 120 {
                let (share, points) = (collected.share, (collected.share - target).abs() * 100.0);
                assert!(
                    points <= 2.0,
                    "{name}, frame {frame}: garbage was {share:.4} of the memory"
                );
            }
        });
        assert!(cycles >= 10, "{name}: the collector was through only {cycles} times");
    }
}

#[test]
fn true_garbage_stays_below_a_tenth() {
    // What these keep is the same all the time: all else is garbage.
    for (name, start, update) in LOADS {
        let (mut kept, mut worst) = (u64::MAX, 0.0_f64);
        let mut live = Vec::new();
        run((start, update), 400, |frame, collected, script| {
            if frame >= 120 {
                live.push(collected.live_bytes);
            }
            if frame == 399 {
                script.collect_all().unwrap();
                kept = script.memory_use().live_bytes;
            }
        });
        eprintln!(
            "{name}: kept {kept}, least {:?}, most {:?}",
            live.iter().min(),
            live.iter().max()
        );
        for bytes in &live {
            worst = worst.max(bytes.saturating_sub(kept) as f64 / *bytes as f64);
        }
        assert!(worst < 0.10, "{name}: {worst:.4} of the memory was garbage");
        assert!(worst > 0.02, "{name}: {worst:.4}, so that the collector works for nothing");
    }
}

#[test]
fn a_deadline_ends_a_frame_and_the_rest_is_done_later() {
    with_memory(|memory| {
        let mut world = World::default();
        let mut script = machine(Route::Foreign, memory);
        let code = "function update() for i = 1, 500 do last = { i } end end";
        assert_eq!(shown(&mut script, &mut world, code), "");
        let update = script.callback("update").unwrap();
        let mut collector = Collector::new(CollectorSettings::default());
        let mut late = 0;
        for frame in 0..300_u32 {
            script.call(&mut world, update, &[]).unwrap();
            let mut asked = 0;
            let collected = collector
                .collect(&mut script, || {
                    asked += 1;
                    // Every second frame has no time at all.
                    frame % 2 == 0
                })
                .unwrap();
            assert!(frame % 2 != 0 || collected.steps == 0);
            late = collected.live_bytes.max(late);
        }
        let at_end = script.memory_use().live_bytes;
        script.collect_all().unwrap();
        let kept = script.memory_use().live_bytes;
        assert!(at_end < kept * 13 / 10, "{at_end} bytes of which {kept} are kept");
    });
}
