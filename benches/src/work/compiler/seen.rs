//! An edit until it is seen: a child, `loligo run --watch`, on a project of 100 000 resources.
//!
//! The game has one box. Its material is saved with another number, the watching compile of the
//! child compiles it, the game swaps it, and in the next frame its script gets the event and prints
//! a line. The figure is the time on the wall from before the save until that line is read.

use core::time::Duration;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use super::{RESOURCES, generate};
use crate::outcome::Reading;

/// How many edits there are, besides the first.
const EDITS: usize = 15;

/// The pause before an edit, which is not always the same: the child looks at all sources from time
/// to time, and an edit can come at any moment of that.
const PAUSES_MS: [u64; 5] = [1_100, 1_730, 900, 2_310, 1_490];

/// How long the first compile can take, and any edit.
const PATIENCE: Duration = Duration::from_secs(600);

/// What is printed when the game has begun, and when something was swapped.
const BEGUN: &str = "the game has begun";
const SEEN: &str = "it was swapped";

/// The material that is edited.
const EDITED: &str = "stone.material";

/// Edits, each until it is seen.
pub(crate) fn seen() -> Reading {
    match seen_of(RESOURCES, EDITS, &PAUSES_MS) {
        Ok(figures) => {
            let (first, others) = figures.split_first().map_or((0.0, &[][..]), |(a, b)| (*a, b));
            let longest = others.iter().copied().fold(0.0, f64::max);
            let note = format!(
                "from the save to the frame in `loligo run --watch`; the first edit took \
                 {first:.0} ms, the longest of the others {longest:.0} ms"
            );
            Reading::Alone { figures: others.to_vec(), note: Some(note) }
        }
        Err(why) => Reading::Unmeasured(why),
    }
}

/// Returns the milliseconds of the first edit and of others, in a project of some size, with pauses in turn.
fn seen_of(resources: usize, edits: usize, pauses_ms: &[u64]) -> Result<Vec<f64>, String> {
    let program = program()?;
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let sources = place.path().join("sources");
    let failed = |error: io::Error| format!("the project cannot be written: {error}");
    generate(&sources, resources).and_then(|()| add_game(&sources)).map_err(failed)?;
    let game = Game::start(&program, &sources, &place.path().join("data"))?;
    game.wait_for(BEGUN)?;
    let mut figures = Vec::with_capacity(edits + 1);
    for number in 0..=edits {
        thread::sleep(Duration::from_millis(pauses_ms[number % pauses_ms.len()]));
        let start = Instant::now();
        fs::write(sources.join(EDITED), material(number + 1)).map_err(failed)?;
        game.wait_for(SEEN)?;
        figures.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(figures)
}

/// Returns the program: it is where this one is, or where its tests are.
fn program() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let name = format!("loligo{}", std::env::consts::EXE_SUFFIX);
    let mut folders = own.ancestors().skip(1).take(2).map(|folder| folder.join(&name));
    folders.find(|path| path.is_file()).ok_or_else(|| {
        let own = own.display();
        format!("there is no `{name}` next to {own}; build loligo-cli as this was built")
    })
}

/// Adds what makes the project a game.
fn add_game(sources: &Path) -> io::Result<()> {
    let put = |path: &str, text: &str| fs::write(sources.join(path), text);
    put("game.config", "title = \"Seen\" level = \"yard\" script = \"main\"\n")?;
    put(
        "yard.level",
        "entities = {
    eye = { components = { transform = { position = [ 0 0 4 ] } camera = {} } }
    box = { components = {
        transform = {} model = { mesh = \"core/meshes/box\" material = \"stone\" }
    } }
}
",
    )?;
    put(
        "main.lua",
        &format!(
            "function update()
    if Game.frame() == 2 then print('{BEGUN}') end
end

function resource_changed()
    print('{SEEN}')
end
"
        ),
    )?;
    put(EDITED, &material(0))
}

fn material(number: usize) -> String {
    format!("shader = \"core/shaders/standard\"\ncolor = [ 0.5 0.5 {} 1 ]\n", number as f64 / 1e3)
}

/// A game that runs and watches its sources, until this is dropped.
struct Game {
    child: Child,
    lines: Receiver<String>,
}

impl Game {
    fn start(program: &Path, sources: &Path, data: &Path) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.arg("run").arg(sources).arg("--out").arg(data).arg("--watch");
        // Text, as no card draws: a frame is what the processor does for one. One thread: the
        // others are the compiler's.
        command.args(["--backend", "text", "--threads", "1", "--frames", "1000000000000"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("loligo run: {error}"))?;
        let errors = child.stderr.take().ok_or("loligo run: its log cannot be read")?;
        let (sender, lines) = channel();
        // It ends with the child.
        thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, lines })
    }

    /// Waits for a line of its log.
    fn wait_for(&self, text: &str) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        let mut last = String::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.contains(text) => return Ok(()),
                Ok(line) => last = line,
                Err(_) => {
                    return Err(format!("loligo run: no `{text}`; the last it said is `{last}`"));
                }
            }
        }
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::{program, seen_of};

    #[test]
    fn edits_are_seen_in_a_game_that_runs() {
        if let Err(why) = program() {
            return println!("skipped: {why}");
        }
        let figures = seen_of(400, 2, &[0]).expect("the game runs");
        assert_eq!(figures.len(), 3, "the first edit and two more: {figures:?} ms");
    }
}
