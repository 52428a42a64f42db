//! `cargo xtask big-endian`: a game whose data is for a machine that has the highest byte first.
//!
//! What a compiler writes for such a machine, and what a game reads there, no test on this machine
//! sees: it would read what it has written, both wrong. So the program that games are shipped with is
//! built for s390x and plays a sample in an emulator, from loose files and from bundles. What it
//! draws is compared with the same frames on this machine.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::list::BIG_ENDIAN;
use super::program::{self, Program};
use super::{Runner, Target, Trial};
use crate::command;
use crate::debian_rust::DebianRust;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

const USAGE: &str = "\
Plays samples on a machine whose highest byte comes first, s390x in an emulator, from loose files and from bundles,
and compares what is drawn there with what is drawn here.

The compiler is Debian's `rustc-web`, unpacked into target/xtask/debian; what links, and the emulator, are installed
with apt-get where they are missing. Needs Linux on x86-64. Takes some minutes the first time.

Usage: cargo xtask big-endian [SAMPLE...]

Without SAMPLE: 10-courtyard, 20-first-game and 30-parade.

Example:
  cargo xtask big-endian 20-first-game
";

/// A platform whose machines have the highest byte first.
const PLATFORM: &str = "x360";

/// How many frames are played: the renderer has all by then, and things move.
const FRAMES: &str = "20";

/// The clock of this machine and of the emulator's are not the same.
const STEP: &str = "\ntime_step = { policy = \"each_frame\" }\n";

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if the data cannot be read there or something else is drawn,
/// [`Failure::Unable`] on bad arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if let [help] = arguments
        && (help == "--help" || help == "-h")
    {
        print!("{USAGE}");
        return Ok(());
    }
    let usual = ["10-courtyard", "20-first-game", "30-parade"];
    let samples = match arguments {
        [] => usual.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    let compiler = DebianRust::find()?.map_err(Failure::Found)?;
    let player = build(&compiler, &BIG_ENDIAN)?;
    let tool = loligo()?;
    for sample in samples {
        compare(sample, &tool, &player)?;
    }
    Ok(())
}

/// Builds the program that plays games, and returns the emulator's command line for it.
fn build(compiler: &DebianRust, target: &Target) -> Result<[PathBuf; 2], Failure> {
    let Trial::Tests(tests) = &target.trial else {
        return Err(Failure::Unable(format!("nothing runs programs for {} here", target.name)));
    };
    let Runner::Emulator((emulator, _)) = tests.runner else {
        return Err(Failure::Unable(format!("there is no emulator for {}", target.name)));
    };
    target.install(tests)?;
    let mut cargo = command::cargo(&workspace::root());
    compiler.compiles(&mut cargo, target.name);
    cargo.args(["build", "--message-format=json", "--package", "loligo-engine"]);
    cargo.args(["--bin", "loligo-player"]);
    cargo.env("CARGO_TARGET_DIR", workspace::target().join("xtask/targets"));
    target.link(compiler, tests, &mut cargo)?;
    let said = command::output(&mut cargo)?;
    let path = program::path(&said)
        .ok_or_else(|| Failure::Found("cargo names no program that plays games".into()))?;
    let found = Program::of(&path)?;
    if found != tests.program {
        let what = format!("{} is for {found}, not for {}", path.display(), tests.program);
        return Err(Failure::Found(what));
    }
    Ok([emulator.into(), path])
}

/// Builds the command `loligo` for this machine, and returns it.
fn loligo() -> Result<PathBuf, Failure> {
    let mut cargo = command::cargo(&workspace::root());
    cargo.args(["build", "--message-format=json", "--package", "loligo-cli", "--bin", "loligo"]);
    let said = command::output(&mut cargo)?;
    program::path(&said).ok_or_else(|| Failure::Found("cargo names no program `loligo`".into()))
}

/// Plays a sample on both machines and compares the last frame.
fn compare(sample: &str, loligo: &Path, [emulator, player]: &[PathBuf; 2]) -> Outcome {
    let io = |what: &str, error: &std::io::Error| Failure::io(&format!("cannot {what}"), error);
    let folder = workspace::target().join("xtask/big-endian").join(sample);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| io("empty a folder", &error))?;
    }
    let place = |name: &str| folder.join(name);
    let sources = place("sources");
    copy(&workspace::root().join("samples").join(sample), &sources)
        .map_err(|error| io("copy the sample", &error))?;
    let config = sources.join("game.config");
    let settings = fs::read_to_string(&config)
        .map_err(|error| io(&format!("read {}", config.display()), &error))?;
    let kept = settings.lines().filter(|line| !line.starts_with("time_step"));
    let settings = kept.collect::<Vec<_>>().join("\n") + STEP;
    fs::write(&config, settings).map_err(|error| io("write the settings", &error))?;

    let run = |arguments: &[&dyn AsRef<OsStr>]| {
        let mut command = Command::new(loligo);
        for argument in arguments {
            command.arg(AsRef::<OsStr>::as_ref(*argument));
        }
        command::output(&mut command)
    };
    let [data, shipped, little] = ["data", "shipped", "little"].map(place);
    let here = place("here.txt");
    run(&[&"compile", &sources, &"--platform", &PLATFORM, &"--out", &data])?;
    run(&[&"bundle", &"build", &data, &"--platform", &PLATFORM, &"-o", &shipped])?;
    run(&[
        &"run",
        &sources,
        &"--out",
        &little,
        &"--frames",
        &FRAMES,
        &"--backend",
        &"text",
        &"--without",
        &"script",
        &"--without",
        &"tools",
        &"--threads",
        &"1",
        &"--text",
        &here,
    ])?;
    let wanted = shown(&here, Order::Here)?;
    for (what, data) in [("loose files", &data), ("bundles", &shipped)] {
        let there = place("there.txt");
        let mut command = Command::new(emulator);
        command.arg(player).arg("--data").arg(data).args(["--frames", FRAMES]);
        command.arg("--text").arg(&there);
        command::output(&mut command)?;
        let found = shown(&there, Order::Turned)?;
        let differs = wanted.iter().zip(&found).position(|(wanted, found)| wanted != found);
        if differs.is_some() || wanted.len() != found.len() {
            let at = differs.unwrap_or(wanted.len().min(found.len()));
            let line = |of: &[String]| of.get(at).cloned().unwrap_or_default();
            return Err(Failure::Found(format!(
                "{sample} from {what}: line {} of the last frame is `{}` here and `{}` there; see {}",
                at + 1,
                line(&wanted),
                line(&found),
                folder.display()
            )));
        }
        let lines = wanted.len();
        println!("big-endian: {sample} from {what}: {lines} lines of frame {FRAMES} are the same");
    }
    Ok(())
}

/// Which byte of a number comes first, as on this machine or the other way around.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Here,
    Turned,
}

/// Reads the text of a frame.
fn shown(path: &Path, order: Order) -> Result<Vec<String>, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::io(&format!("cannot read {}", path.display()), &error))?;
    let lines: Vec<_> = text.lines().map(|line| turned(&without_hashes(line), order)).collect();
    match lines.len() {
        0 => Err(Failure::Found(format!("{}: nothing was drawn", path.display()))),
        _ => Ok(lines),
    }
}

/// Returns a line without hashes: they are of bytes in memory, which are not the same.
fn without_hashes(line: &str) -> String {
    let is_hash = |word: &str| {
        let word = word.trim_end_matches(',');
        word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let words = line.split(' ').map(|word| if is_hash(word) { "#" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns a line with the bytes of a job as this machine has them: they are shown as they are in
/// memory, numbers of four bytes each.
fn turned(line: &str, order: Order) -> String {
    let Some((job, bytes)) = line.split_once(" bytes: ") else { return line.to_owned() };
    if order == Order::Here || !job.trim_start().starts_with("job ") {
        return line.to_owned();
    }
    let bytes: Vec<&str> = bytes.split(' ').collect();
    let turned = bytes.chunks(4).flat_map(|number| number.iter().rev().copied());
    format!("{job} bytes: {}", turned.collect::<Vec<_>>().join(" "))
}

/// Copies a folder without what begins with a dot.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Order, turned, without_hashes};

    #[test]
    fn hashes_are_left_out_and_all_else_is_kept() {
        let line = "scene db57e4cc26841d7a, materials f2bfc1c92510d5ee";
        assert_eq!(without_hashes(line), "scene # materials #");
        for line in ["pass 0 shadow", "meshes 11 db57e4cc2684"] {
            assert_eq!(without_hashes(line), line);
        }
    }

    #[test]
    fn numbers_of_jobs_are_turned_and_nothing_else() {
        let job = "    job 0x9055ca41, 8 bytes: 00 00 00 02 00 00 01 03";
        assert_eq!(turned(job, Order::Here), job);
        let here = "    job 0x9055ca41, 8 bytes: 02 00 00 00 03 01 00 00";
        assert_eq!(turned(job, Order::Turned), here);
        for line in ["textures 3: 40 bytes: 1 2 3 4", "pass 0 shadow"] {
            assert_eq!(turned(line, Order::Turned), line);
        }
    }
}
