//! How long a project of 20 000 resources takes: from nothing, with nothing changed, with one file
//! changed.
//!
//! ```text
//! cargo run --profile measured -p loligo-compiler --example many_resources [-- RESOURCES [JOBS]]
//! ```

use core::error::Error;
use core::fmt::Write as _;
use core::num::NonZeroUsize;
use core::time::Duration;
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Instant;

use loligo_compiler::{CompileSession, Compilers, Project, Report, Threads};

/// How many resources are in a folder.
const FOLDER: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(20_000), |count| count.parse())?;
    let machine = thread::available_parallelism()?;
    let jobs: NonZeroUsize = arguments.next().map_or(Ok(machine), |jobs| jobs.parse())?;
    let place = tempfile::tempdir()?;
    let (sources, data) = (place.path().join("sources"), place.path().join("data"));
    let files = generate(&sources, count)?;
    println!("{count} resources in {} folders, {jobs} jobs", files / FOLDER + 1);

    let compilers = Compilers::built_in();
    let project = Project::new(&sources, &data, &compilers);
    let compile = |what: &str| -> Result<Report, Box<dyn Error>> {
        let (start, busy) = (Instant::now(), busy_ms());
        let report = project.compile(&Threads::new(jobs))?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let busy = match (busy, busy_ms()) {
            // With one job all is done by this thread.
            (Some(before), Some(now)) if jobs == NonZeroUsize::MIN => {
                format!(", {:.1} ms of the processor", now - before)
            }
            _ => String::new(),
        };
        println!("{what:<51}{ms:>9.1} ms{busy}, {} compiled", report.compiled);
        match report.errors.first() {
            Some(error) => Err(error.clone().into()),
            None => Ok(report),
        }
    };
    compile("from nothing")?;
    compile("nothing changed, files younger than 2 s")?;
    // Younger files may change once more within the resolution of their times.
    thread::sleep(Duration::from_secs(4));
    compile("nothing changed, hashes learnt again once")?;
    for _ in 0..3 {
        compile("nothing changed")?;
    }
    fs::write(sources.join("folder_0/unit_7.config"), "changed = true\n")?;
    compile("one file changed")?;
    fs::write(sources.join("folder_0/new.config"), "new = true\n")?;
    compile("one file added, in a folder that a package lists")?;
    again_and_again(&project, &sources, &Threads::new(jobs))
}

/// Compiles in a session, which knows what the compile before found out.
fn again_and_again(
    project: &Project<'_>,
    sources: &Path,
    threads: &Threads,
) -> Result<(), Box<dyn Error>> {
    let mut session = CompileSession::new(project);
    session.compile(threads)?;
    for number in 0..5 {
        fs::write(sources.join("folder_0/unit_7.config"), format!("changed = {number}\n"))?;
        let start = Instant::now();
        let report = session.compile(threads)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        println!(
            "{:<51}{ms:>9.1} ms, {} compiled",
            "one file changed, in a session", report.compiled
        );
    }
    let paths = BTreeSet::from(["folder_0/unit_7.config".to_owned()]);
    for number in 5..10 {
        fs::write(sources.join("folder_0/unit_7.config"), format!("changed = {number}\n"))?;
        let start = Instant::now();
        let report = session.compile_changed(&paths, threads)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        println!(
            "{:<51}{ms:>9.1} ms, {} compiled",
            "one file changed, of which the system gives notice", report.compiled
        );
    }
    if let Some(kib) = resident_kib() {
        println!("{:<51}{kib:>9} KiB", "memory of the session");
    }
    Ok(())
}

/// Returns the memory of this process, if the system is Linux.
fn resident_kib() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Returns the processor time of this thread, if the system is Linux: on a busy machine wall-clock
/// time says little.
fn busy_ms() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e6)
}

/// Writes a project: settings, every tenth resource a file that is copied, and a package for each
/// folder.
fn generate(sources: &Path, count: usize) -> Result<usize, Box<dyn Error>> {
    let mut text = String::new();
    for number in 0..count {
        let folder = sources.join(format!("folder_{}", number / FOLDER));
        if number % FOLDER == 0 {
            fs::create_dir_all(&folder)?;
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            fs::write(folder.join("all.package"), format!("config = [ \"{name}/*\" ]\n"))?;
        } else if number % 10 == 0 {
            fs::write(
                folder.join(format!("sound_{number}.data")),
                number.to_le_bytes().repeat(64),
            )?;
        } else {
            text.clear();
            writeln!(
                text,
                "// Unit {number}.\nname = \"unit {number}\"\nhealth = {}",
                number % 100
            )?;
            writeln!(
                text,
                "position = [ {number}.5 -1 2e3 ]\nlayers = [\n\t{{ mesh = \"units/{number}\" }}"
            )?;
            writeln!(text, "\t{{ mesh = \"units/shadow\", scale = 0.5 }}\n]")?;
            fs::write(folder.join(format!("unit_{number}.config")), &text)?;
        }
    }
    Ok(count)
}
