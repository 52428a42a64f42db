//! Draws how the collector keeps garbage at its share, frame by frame, as text: memory, garbage and
//! work.
//!
//! `cargo run -p loligo-script --example collector` shows a game whose scripts make steady garbage,
//! then three times as much, then none at all.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_script::{Collector, CollectorSettings, Script, ScriptError, Settings, Value};

/// 20 000 objects that stay, and as many new ones a frame as is asked for, each forgotten at once.
const GAME: &str = "
kept = {}
for index = 1, 20000 do kept[index] = { index } end
function update(count)
    for index = 1, count do last = { index } end
end
";

/// How many objects scripts forget in a frame.
fn load(frame: u32) -> f64 {
    match frame {
        0..240 => 300.0,
        240..480 => 900.0,
        _ => 0.0,
    }
}

fn main() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("scripts", &pages);
    if let Err(error) = draw(&heap) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn draw(memory: &dyn Allocator) -> Result<(), ScriptError<'_>> {
    let mut script = Script::try_new(&[], &Settings::default(), memory)?;
    script.evaluate(&mut (), GAME)?;
    script.collect_all()?;
    let kept = script.memory_use().live_bytes as f64;
    let update = script.callback("update")?;
    let settings = CollectorSettings::default();
    let mut collector = Collector::new(settings);
    println!("frame   memory   garbage now (each * a point)      at last cycle   steps");
    let (mut steps, mut cycles) = (0, 0);
    for frame in 0..600 {
        script.begin_frame();
        script.call(&mut (), update, &[Value::Number(load(frame))])?;
        let collected = collector.collect(&mut script, || false)?;
        steps += collected.steps;
        cycles += collected.cycles;
        if frame % 12 == 11 {
            let live = collected.live_bytes as f64;
            let now = (live - kept).max(0.0) / live * 100.0;
            let bar = "*".repeat((now.round() as usize).min(30));
            let (share, mean) = (collected.share * 100.0, f64::from(steps) / 12.0);
            println!(
                "{:5}  {:6.0} K  {now:5.1} % {bar:<24} {share:9.1} %  {mean:7.1} a frame",
                frame + 1,
                live / 1024.0
            );
            steps = 0;
        }
    }
    let aim = settings.garbage_share * 100.0;
    println!("The collector was through {cycles} times; garbage is to be {aim} % at its most.");
    Ok(())
}
