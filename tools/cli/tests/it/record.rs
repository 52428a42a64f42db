//! `loligo record`: programs of all kinds, and all their ends.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use loligo_replay::trace::{Ending, Event, Op, Trace};

use crate::support::{Place, text};

/// The program that says what it allocates.
const PROGRAM: &str = env!("CARGO_BIN_EXE_loligo-cli-recorded");

/// Records the program into `run.altrace`; returns status, output, standard error, and the trace.
fn record(place: &Place, options: &[&str], arguments: &[&str]) -> (i32, String, String, Trace) {
    let head = ["record", "-o", "run.altrace"];
    let (code, stdout, stderr) = place.run(&[&head, options, &["--", PROGRAM], arguments].concat());
    let trace = Trace::open(&place.path("run.altrace"))
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{stderr}"));
    assert_eq!(trace.ending(), Ending::Whole, "{arguments:?}");
    (code, stdout, stderr, trace)
}

/// Returns the events with the size that their block has before a free.
fn with_sizes(trace: &Trace) -> Vec<(Event, u64)> {
    let mut sizes = BTreeMap::new();
    let of = |event: &Event| match event.op {
        Op::Free => (*event, sizes.remove(&event.slot).expect("it is live")),
        _ => {
            let before = sizes.insert(event.slot, event.bytes);
            (*event, before.unwrap_or(event.bytes))
        }
    };
    trace.events.iter().map(of).collect()
}

#[test]
fn the_live_bytes_of_a_program_and_of_its_recording_agree_at_every_mark() {
    let place = Place::new();
    let (code, stdout, stderr, trace) = record(&place, &[], &["marks"]);
    assert_eq!(code, 0, "{stderr}");
    let printed = stdout.lines().map(|line| {
        let (mark, live) = line.split_once(' ').expect("two numbers");
        (mark.parse::<u64>().expect("a number"), live.parse::<u64>().expect("a number"))
    });
    let printed: Vec<_> = printed.collect();
    assert_eq!(printed.len(), 100, "{stdout}");
    assert!(stderr.contains(", 100 frame marks"), "{stderr}");
    // The program counts its own requests; the C library's own blocks are recognised by their call
    // sites.
    let sites = trace.sites().expect("sites are named");
    let own = Path::new(PROGRAM).file_name().expect("a file").to_str().expect("text");
    let mut live: BTreeMap<u32, u64> = BTreeMap::new();
    let mut marks = trace.marks().iter().zip(&printed).peekable();
    for index in 0..=trace.events.len() {
        while let Some((mark, told)) = marks.next_if(|(mark, _)| mark.event == index as u64) {
            assert_eq!((mark.value, live.values().sum()), *told);
        }
        let Some(event) = trace.events.get(index) else { break };
        match event.op {
            Op::Free => _ = live.remove(&event.slot),
            Op::Reallocate => _ = live.entry(event.slot).and_modify(|bytes| *bytes = event.bytes),
            _ if sites.name(sites.of(index)).starts_with(own) => {
                assert_eq!(live.insert(event.slot, event.bytes), None, "a slot of its own");
            }
            _ => {}
        }
    }
    assert!(marks.next().is_none(), "every mark has its place");
    let threads = trace.events.iter().map(|event| event.thread).max().expect("some") + 1;
    assert_eq!(threads, 31, "main, and thirty that it started");
    let times = trace.times().expect("there is a clock");
    assert!(times.iter().all(|&time| time > 0) && times.first() < times.last(), "it goes on");
}

#[test]
fn every_function_that_allocates_is_recorded() {
    let place = Place::new();
    let (code, _, stderr, trace) = record(&place, &[], &["kinds"]);
    assert_eq!(code, 0, "{stderr}");
    let of_kinds: Vec<_> = with_sizes(&trace)
        .into_iter()
        .filter(|(_, bytes)| (70_000..80_000).contains(bytes))
        .map(|(event, _)| (event.op, event.align_log2, event.bytes))
        .collect();
    let wanted = [
        (Op::Allocate, 4, 70_001),
        (Op::Free, 4, 0),
        (Op::AllocateZeroed, 4, 70_000),
        (Op::Free, 4, 0),
        (Op::Allocate, 4, 70_003),
        (Op::Reallocate, 4, 70_004),
        (Op::Free, 4, 0),
        (Op::Allocate, 4, 70_005),
        (Op::Reallocate, 4, 70_006),
        (Op::Free, 4, 0),
        (Op::Allocate, 6, 70_016),
        (Op::Free, 6, 0),
        (Op::Allocate, 7, 70_007),
        (Op::Free, 7, 0),
        (Op::Allocate, 8, 70_008),
        (Op::Free, 8, 0),
        (Op::Allocate, 12, 70_009),
        (Op::Free, 12, 0),
        (Op::Allocate, 12, 73_728),
        (Op::Free, 12, 0),
        (Op::Allocate, 4, 70_011),
        (Op::Free, 4, 0),
        (Op::Allocate, 4, 70_012),
        (Op::Free, 4, 0),
        (Op::Allocate, 4, 70_013),
        (Op::Free, 4, 0),
    ];
    assert_eq!(of_kinds, wanted);
    let last = trace.events.iter().filter(|event| event.op == Op::Allocate && event.bytes == 1);
    assert!(last.count() > 0, "a block of no bytes is one of one byte");
}

#[test]
fn programs_keep_their_end_and_lose_nothing() {
    let whole = {
        let place = Place::new();
        record(&place, &[], &["exits"]).3
    };
    for (how, status) in [("exits", 7), ("leave", 7), ("kills", 137), ("abort", 134)] {
        let place = Place::new();
        let (code, _, stderr, trace) = record(&place, &[], &[how]);
        assert_eq!(code, status, "{how}: {stderr}");
        // Up to here they do the same; `exits` does a little more.
        let own = 5000.min(whole.events.len() / 2);
        assert_eq!(trace.events[..own], whole.events[..own], "{how}");
        assert!(trace.events.len() + 100 > whole.events.len(), "{how}: {stderr}");
        assert_eq!(place.names(), ["run.altrace"], "{how}");
    }
}

#[test]
fn a_child_leaves_its_parents_recording_alone() {
    let place = Place::new();
    let (code, _, stderr, trace) = record(&place, &[], &["forks"]);
    assert_eq!(code, 0, "{stderr}");
    let of_size = |bytes| trace.events.iter().filter(|event| event.bytes == bytes).count();
    assert_eq!((of_size(60_001), of_size(60_002)), (1, 1), "before and after the fork");
    assert!(trace.events.iter().all(|event| event.bytes < 80_000), "nothing is the child's");
    assert_eq!(place.names(), ["run.altrace"]);
}

#[test]
fn children_are_recorded_where_they_are_asked_for() {
    let place = Place::new();
    let (code, _, stderr, trace) = record(&place, &["--children"], &["forks"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(trace.events.iter().all(|event| event.bytes < 80_000), "nothing is the child's");
    let names = place.names();
    let [child, _] = &names[..] else { panic!("{names:?}: {stderr}") };
    assert!(child.starts_with("run.") && child.ends_with(".altrace"), "{child}");
    let child = Trace::open(&place.path(child)).expect("valid");
    let of_child = child.events.iter().filter(|event| event.bytes >= 80_000);
    assert_eq!(of_child.count(), 3000, "{stderr}");
    assert!(child.events.iter().all(|event| ![60_001, 60_002].contains(&event.bytes)));
}

#[test]
fn what_a_program_becomes_is_recorded() {
    let place = Place::new();
    let (code, _, stderr, trace) = record(&place, &[], &["becomes", PROGRAM, "exits"]);
    assert_eq!(code, 7, "{stderr}");
    assert!(stderr.contains("became another program by exec"), "{stderr}");
    let (_, program) = trace.notes().find(|(name, _)| *name == "program").expect("a note");
    assert_eq!(program, format!("{PROGRAM} exits"), "the last one");
}

#[test]
fn many_threads_at_once_are_in_their_true_order() {
    let place = Place::new();
    let plain = Command::new(PROGRAM).arg("crowd").output().expect("it runs");
    let (code, stdout, stderr, trace) = record(&place, &[], &["crowd"]);
    assert_eq!((code, stdout.as_bytes()), (0, &plain.stdout[..]), "{stderr}");
    // If a free came after the next allocation of its address, there would be such a line.
    assert!(!stderr.contains("not recorded") && !stderr.contains("left out"), "{stderr}");
    assert!(trace.events.len() > 160_000, "{stderr}");
}

#[test]
fn a_recording_stops_where_it_should_and_the_program_goes_on() {
    let place = Place::new();
    let (code, stdout, stderr, trace) = record(&place, &["--max-events", "5000"], &["crowd"]);
    assert_eq!((code, trace.events.len()), (0, 5000), "{stderr}");
    assert!(stderr.contains("the recording ends before the program did"), "{stderr}");
    assert!(trace.notes().any(|(name, _)| name == "stopped"), "the trace says so, too");
    assert!(stdout.trim().parse::<u64>().is_ok(), "{stdout}");
}

/// The recorder's file has room for two records an event, so that between one and two times
/// `--max-events` it is not full, and the events above were left out without a word.
#[test]
fn a_recording_that_leaves_a_few_events_out_says_so_too() {
    let place = Place::new();
    let (_, _, _, all) = record(&place, &[], &["kinds"]);
    let count = all.events.len();
    let (most, exactly) = ((count - count / 4).to_string(), count.to_string());
    let (code, _, stderr, trace) = record(&place, &["--max-events", &most], &["kinds"]);
    assert_eq!((code, trace.events.len().to_string()), (0, most), "{stderr}");
    assert!(stderr.contains("ends before the program did: --max-events allows"), "{stderr}");
    let (code, shown, _) = place.run(&["show", "run.altrace"]);
    assert!(code == 0 && shown.contains("ends early       the program went on"), "{shown}");
    let (_, _, said) =
        place.run(&["replay", "run.altrace", "--strategies", "none", "--peers", "none"]);
    assert!(said.contains("run ends before its program did"), "{said}");
    let (_, _, stderr, trace) = record(&place, &["--max-events", &exactly], &["kinds"]);
    assert!(trace.events.len() == count && !stderr.contains("ends before"), "{stderr}");
}

#[test]
fn recordings_are_compressed_where_the_name_says_so() {
    let place = Place::new();
    let arguments = ["record", "-o", "run.altrace.zst", PROGRAM, "marks"];
    let (code, _, stderr) = place.run(&arguments);
    assert_eq!(code, 0, "{stderr}");
    let packed = std::fs::metadata(place.path("run.altrace.zst")).expect("it is there").len();
    let trace = Trace::open(&place.path("run.altrace.zst")).expect("valid");
    assert!(packed < trace.events.len() as u64 * 16, "{packed}");
    for part in ["31 threads", "call sites", "peak ", "half of up to ", "99 % of up to "] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
}

#[test]
fn input_output_and_status_are_the_programs_own() {
    let place = Place::new();
    let arguments = ["record", "-o", "run.altrace", "--", "sh", "-c", "cat; echo no >&2; exit 3"];
    let mut child = place
        .loligo(&arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("it was asked for");
    std::io::Write::write_all(&mut stdin, b"what goes in\n").expect("it is read");
    drop(stdin);
    let output = child.wait_with_output().expect("the child is ours");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(3), &b"what goes in\n"[..]));
    assert!(output.stderr.starts_with(b"no\nloligo: "), "{output:?}");
}

#[test]
fn what_cannot_be_recorded_is_said_with_its_remedy() {
    let place = Place::new();
    place.file("data", "neither program nor script");
    place.file("broken", b"\x7fELFx");
    place.file("script", "#!/no/such/reader\n");
    for name in ["broken", "script"] {
        make_executable(&place.path(name));
    }
    for (program, parts) in [
        ("no-such-program", &["no-such-program: cannot be run: ", "; check the name"][..]),
        ("./data", &["./data: cannot be run: ", "; check the name"]),
        ("./broken", &["./broken: is a program for another processor; give a program"]),
        ("./script", &["/no/such/reader: cannot be run: "]),
        ("/", &["/: cannot be run: "]),
    ] {
        let stderr = place.refused(&["record", "--", program]);
        for part in parts {
            assert!(stderr.contains(part), "{program}: {stderr}");
        }
    }
    let stderr = place.refused(&["record", "-o", "none/run.altrace", "--", PROGRAM, "exits"]);
    assert!(stderr.contains("none/run.altrace: cannot write"), "{stderr}");
    let stderr = place.refused(&["record"]);
    assert!(stderr.contains("PROGRAM"), "{stderr}");
}

#[test]
fn folders_that_the_linker_cannot_name_are_refused() {
    let place = Place::new();
    std::fs::create_dir(place.path("a b")).expect("the folder may be written");
    let mut command = place.loligo(&["record", "--", PROGRAM, "exits"]);
    let output = command.env("TMPDIR", place.path("a b")).output().expect("the command runs");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("set TMPDIR to a folder without"), "{stderr}");
}

#[test]
fn the_folder_of_a_run_is_private_and_goes_with_it() {
    let place = Place::new();
    std::fs::create_dir(place.path("tmp")).expect("the folder may be written");
    let list = "stat -c '%a %F' \"$TMPDIR\"/*; ls \"$TMPDIR\"/*";
    let mut command = place.loligo(&["record", "-o", "run.altrace", "--", "sh", "-c", list]);
    let output = command.env("TMPDIR", place.path("tmp")).output().expect("the command runs");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(stdout.starts_with("700 directory\n") && stdout.contains("recorder.so"), "{stdout}");
    let left = std::fs::read_dir(place.path("tmp")).expect("it can be read").count();
    assert_eq!(left, 0, "nothing is left");
}

/// Runs a program of the system with and without a recorder; prints a note if there is no such
/// program.
fn survives(arguments: &[&str], wanted: &str) {
    let place = Place::new();
    std::fs::write(place.path("t.c"), "int main(void) { return 0; }\n").expect("it may be written");
    let is_there = Command::new(arguments[0]).arg("--version").output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no {}", arguments[0]);
        return;
    }
    let head = ["record", "-o", "run.altrace", "--"];
    let (code, stdout, stderr) = place.run(&[&head, arguments].concat());
    assert_eq!((code, &*stdout), (0, wanted), "{arguments:?}: {stderr}");
    let trace = Trace::open(&place.path("run.altrace")).expect("valid");
    assert!(trace.events.len() > 100, "{arguments:?}: {stderr}");
    assert!(!stderr.contains("in a way that was not recorded"), "{arguments:?}: {stderr}");
}

#[test]
fn git_survives() {
    let place = Place::new();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Sage", "-c", "user.email=sage@example.org"]);
        command.args(arguments).current_dir(place.path("")).output()
    };
    if git(&["init", "-q", "."]).is_err() {
        println!("skipped: there is no git");
        return;
    }
    for number in 0..20 {
        place.file("file", format!("{number}\n").repeat(number * 10));
        let done = git(&["add", "file"]).and_then(|_| git(&["commit", "-q", "-m", "A change"]));
        assert!(done.is_ok_and(|output| output.status.success()), "git commits");
    }
    let plain = git(&["log", "-p"]).expect("git is there").stdout;
    let (code, stdout, stderr) =
        place.run(&["record", "-o", "run.altrace", "--", "git", "log", "-p"]);
    assert_eq!((code, stdout.as_bytes()), (0, &plain[..]), "{stderr}");
    let trace = Trace::open(&place.path("run.altrace")).expect("valid");
    assert!(trace.events.len() > 2000 && trace.peak_live_bytes > 100_000, "{stderr}");
}

#[test]
fn python_survives() {
    let program = "import json; print(len(json.dumps(list(range(1000)))))";
    survives(&["python3", "-c", program], "4890\n");
}

#[test]
fn node_survives() {
    survives(&["node", "-e", "console.log([1,2,3].map(x => x * 2).join())"], "2,4,6\n");
}

#[test]
fn gcc_survives() {
    survives(&["gcc", "-c", "t.c", "-o", "t.o"], "");
}

#[test]
fn sqlite_survives() {
    survives(
        &["sqlite3", ":memory:", "create table a(b); insert into a values(7); select * from a"],
        "7\n",
    );
}

#[test]
fn a_recording_is_replayed() {
    let place = Place::new();
    record(&place, &[], &["marks"]);
    let path = place.path("run.altrace");
    let arguments = ["replay", text(&path), "--strategies", "none", "--peers=system", "--verify"];
    let (code, stdout, stderr) = place.run(&[&arguments[..], &["--rounds", "1"]].concat());
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("nothing lost"), "{stdout}");
}

#[test]
fn a_program_with_an_allocator_of_its_own_is_reported_and_not_a_success() {
    let place = Place::new();
    let own = env!("CARGO_BIN_EXE_loligo");
    let (code, stdout, stderr) =
        place.run(&["record", "-o", "run.altrace", "--", own, "--version"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.starts_with("loligo "), "{stdout}");
    for part in [
        "loligo: WARNING: ",
        "loligo has its own Rust #[global_allocator]",
        "; comment out `#[global_allocator]`",
        "loligo_allocators::recording",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    // Its own status comes first.
    let (code, _, stderr) = place.run(&["record", "-o", "run.altrace", "--", own, "no-such"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("#[global_allocator]"), "{stderr}");
}

#[test]
fn stacks_are_recorded_and_shown() {
    let place = Place::new();
    for how in ["--stacks", "--stacks=frames", "--stacks=unwind"] {
        let (code, _, stderr, trace) = record(&place, &[how, "--stack-depth", "32"], &["marks"]);
        assert_eq!(code, 0, "{stderr}");
        let stacks = trace.stacks().expect("they are recorded");
        let deepest = (1..=stacks.count()).map(|stack| stacks.frames(stack as u32).count()).max();
        assert!(deepest.is_some_and(|deepest| deepest <= 33), "{how}: {deepest:?}");
    }
    // The last one is unwound: main is in the stacks, below what it calls.
    let (code, stdout, stderr) =
        place.run(&["show", "run.altrace", "--flame", "run.svg", "--by", "allocations"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("Live at the peak, by call stack"), "{stdout}");
    let picture = std::fs::read_to_string(place.path("run.svg")).expect("it is there");
    assert!(picture.contains("loligo-cli-recorded!main: "), "{picture}");
}

#[test]
fn a_recording_begins_late_where_it_is_asked_to() {
    let place = Place::new();
    let (code, _, stderr, trace) = record(&place, &["--after", "mark=50"], &["marks"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(trace.marks().first().map(|mark| mark.value), Some(50));
    assert!(stderr.contains("frees of blocks from before the recording are left out"), "{stderr}");
    let stderr = place.refused(&["record", "--after", "soon", "--", PROGRAM, "exits"]);
    assert!(stderr.contains("give `mark=N`, `event=N`, or a time"), "{stderr}");
    let other = Place::new();
    let stderr = other.refused(&["record", "--after", "mark=1000", "--", PROGRAM, "exits"]);
    assert!(stderr.contains("no mark 1000 came"), "{stderr}");
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let rights = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, rights).expect("the file is ours");
}
