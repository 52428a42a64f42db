//! Programs that are compiled for a test, run and recorded.

use core::time::Duration;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::*;
use crate::books::Summary;
use crate::trace::{Op, Trace};

/// Compiles a program of C; `None` with a note if there is no compiler.
fn compile(folder: &Path, source: &str, options: &[&str]) -> Option<OsString> {
    let (file, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&file, source).expect("the folder may be written");
    let done = Command::new("cc").args(options).arg(&file).arg("-o").arg(&program).status();
    match done {
        Ok(status) if status.success() => Some(program.into_os_string()),
        Ok(status) => panic!("the compiler refuses the program: {status}"),
        Err(_) => {
            println!("skipped: there is no cc");
            None
        }
    }
}

/// Runs and records a program and returns its trace.
fn record(program: &OsString, arguments: &[&str], settings: &Settings) -> (RecordedProgram, Trace) {
    let program = Program::find(program).expect("it can be recorded");
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let ran = run(&program, &arguments, settings).expect("it runs");
    let mut file = Vec::new();
    ran.write(&mut file).expect("a vector takes every write");
    let trace = Trace::read("recorded", &file[..]).expect("valid");
    (ran, trace)
}

#[test]
fn the_pools_of_python_are_known_by_its_files() {
    let at = |path: &str| format!("7f00-7f10 r-xp 00000000 fe:00 12 {path}\n");
    let with = |path: &str, setting| other_allocator::has_python_pools(&at(path), setting);
    assert!(with("/usr/bin/python3.11", None) && with("/usr/lib/libpython3.12.so.1.0", None));
    assert!(with("/usr/bin/python3", Some("pymalloc")));
    assert!(!with("/usr/bin/python3", Some("malloc")), "it has none then");
    assert!(!with("/opt/python3/bin/job", None), "a folder is no program");
    assert!(!with("/usr/bin/perl", None));
}

/// Returns the functions of the stack of the one allocation of this size, the innermost first,
/// up to the first that is of another library.
fn functions(trace: &Trace, bytes: u64) -> Vec<String> {
    let index = trace.events.iter().position(|event| event.bytes == bytes).expect("it is there");
    let (stacks, sites) = (trace.stacks().expect("recorded"), trace.sites().expect("recorded"));
    let names = stacks.frames(stacks.of(index)).map(|site| sites.name(site));
    let own = names.map_while(|name| name.strip_prefix("program!"));
    own.map(|name| name.split('+').next().unwrap_or(name).to_owned()).collect()
}

/// Allocates blocks of sizes that nothing else has: by the first thread, by another, on a stack of a
/// coroutine, by `realloc`, and at the end of a long recursion.
const CALLS: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#define CALLED __attribute__((noinline))
#define NO_TAIL __asm__ volatile("")
void *volatile kept;
CALLED void inner(size_t bytes) { kept = malloc(bytes); NO_TAIL; }
CALLED void middle(size_t bytes) { inner(bytes); NO_TAIL; }
CALLED void outer(size_t bytes) { middle(bytes); NO_TAIL; }
CALLED void grow(size_t bytes) { kept = realloc(kept, bytes); NO_TAIL; }
CALLED void deep(int left) { if (left) deep(left - 1); else inner(70005); NO_TAIL; }
CALLED void *thread(void *none) { outer(70002); NO_TAIL; return none; }
static ucontext_t main_context, context;
CALLED void routine(void) { outer(70003); NO_TAIL; }
int main(void) {
  outer(70001);
  pthread_t other;
  pthread_create(&other, 0, thread, 0);
  pthread_join(other, 0);
  getcontext(&context);
  context.uc_stack.ss_sp = malloc(1 << 20);
  context.uc_stack.ss_size = 1 << 20;
  context.uc_link = &main_context;
  makecontext(&context, routine, 0);
  swapcontext(&main_context, &context);
  grow(70004);
  deep(300);
  return 0;
}
"#;

fn with_stacks(method: StackMethod, depth: u32) -> Settings {
    Settings { stacks: Some(StackSettings { method, depth }), ..Settings::default() }
}

#[test]
fn stacks_are_followed_by_frame_pointers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = ["-O1", "-fno-omit-frame-pointer", "-pthread"];
    let Some(program) = compile(folder.path(), CALLS, &options) else { return };
    let (ran, trace) = record(&program, &[], &with_stacks(StackMethod::Frames, 64));
    assert!(ran.status.success() && ran.stacks_lost() == 0, "{:?}", ran.status);
    assert_eq!(functions(&trace, 70_001), ["inner", "middle", "outer", "main"]);
    assert_eq!(functions(&trace, 70_002), ["inner", "middle", "outer", "thread"]);
    assert_eq!(functions(&trace, 70_003), ["inner"], "of a coroutine only the site is known");
    assert_eq!(functions(&trace, 70_004), ["grow", "main"]);
    let of_deep = functions(&trace, 70_005);
    assert_eq!((of_deep.len(), &*of_deep[0], &*of_deep[64]), (65, "inner", "deep"), "{of_deep:?}");
    let stacks = trace.stacks().expect("recorded");
    let sites = trace.sites().expect("recorded");
    for (index, event) in trace.events.iter().enumerate() {
        match event.op {
            Op::Free => assert_eq!(stacks.of(index), 0, "a free has none"),
            _ => assert_eq!(stacks.frames(stacks.of(index)).next(), Some(sites.of(index))),
        }
    }
}

#[test]
fn programs_without_frame_pointers_lose_their_callers_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = ["-O2", "-fomit-frame-pointer", "-pthread"];
    let Some(program) = compile(folder.path(), CALLS, &options) else { return };
    let (ran, trace) = record(&program, &[], &with_stacks(StackMethod::Frames, 64));
    assert!(ran.status.success(), "{:?}", ran.status);
    assert_eq!(functions(&trace, 70_001)[0], "inner", "the site is known all the same");
}

#[test]
fn stacks_are_unwound_without_frame_pointers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = ["-O2", "-fomit-frame-pointer", "-pthread"];
    let Some(program) = compile(folder.path(), CALLS, &options) else { return };
    let (ran, trace) = record(&program, &[], &with_stacks(StackMethod::Unwinder, 8));
    assert!(ran.status.success(), "{:?}", ran.status);
    assert_eq!(functions(&trace, 70_001), ["inner", "middle", "outer", "main"]);
    assert_eq!(functions(&trace, 70_002), ["inner", "middle", "outer", "thread"]);
    assert_eq!(functions(&trace, 70_003), ["inner", "middle", "outer", "routine"]);
    assert_eq!(functions(&trace, 70_005).len(), 9, "the site and eight callers");
}

#[test]
fn recordings_without_stacks_have_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compile(folder.path(), CALLS, &["-O1", "-pthread"]) else { return };
    let (_, trace) = record(&program, &[], &Settings::default());
    assert!(trace.stacks().is_none() && trace.sites().is_some());
}

/// Allocates between its marks: 70 001 bytes before the first, 70 002 before the second, and so on.
/// The first block is freed and the second grows after the third mark. `wait` goes on until `loligo
/// record` has written the word at byte 72 of the recording.
const LATE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void wait_for_start(void) {
  char path[2000];
  const char *folder = strchr(getenv("LOLIGO_RECORD"), '/');
  snprintf(path, sizeof path, "%s/%d.1.raw", folder, (int)getpid());
  int file = open(path, O_RDONLY);
  unsigned long word = 0;
  while (pread(file, &word, 8, 72) == 8 && !word) {
    void *volatile block = malloc(70001);
    free(block);
  }
  void *volatile block = malloc(70002);
  free(block);
}
int main(int count, char **arguments) {
  void (*mark)(unsigned long) = dlsym(RTLD_DEFAULT, "loligo_frame_mark");
  void *volatile blocks[9];
  if (count > 1) {
    wait_for_start();
    return 0;
  }
  for (int n = 1; n <= 5; n++) {
    blocks[n] = malloc(70000 + n);
    mark(n);
  }
  free(blocks[1]);
  blocks[2] = realloc(blocks[2], 70012);
  free(blocks[2]);
  free(blocks[4]);
  return 0;
}
"#;

fn sizes(trace: &Trace) -> Vec<(Op, u64)> {
    let of_test = |bytes: u64| (70_000..71_000).contains(&bytes);
    let events = trace.events.iter().map(|event| (event.op, event.bytes));
    events.filter(|&(_, bytes)| of_test(bytes)).collect()
}

#[test]
fn a_recording_begins_with_a_mark_or_after_events() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compile(folder.path(), LATE, &["-O1", "-ldl"]) else { return };
    let late = |after| Settings { after, ..Settings::default() };
    let (ran, trace) = record(&program, &[], &late(After::Mark(3)));
    let wanted = [(Op::Allocate, 70_004), (Op::Allocate, 70_005), (Op::Allocate, 70_012)];
    assert_eq!(sizes(&trace), wanted, "a reallocation of an unknown block is an allocation");
    assert_eq!(trace.marks().iter().map(|mark| mark.value).collect::<Vec<_>>(), [3, 4, 5]);
    let summary = ran.write(std::io::sink()).expect("it is written");
    assert!(summary.strangers >= 2, "one free, one reallocation: {}", summary.strangers);
    let times = trace.times().expect("there is a clock");
    assert!(times[0] < 1_000_000_000, "times are from the beginning of the recording");

    let whole = record(&program, &[], &Settings::default()).1;
    let (_, trace) = record(&program, &[], &late(After::Events(0)));
    assert_eq!(trace.events, whole.events);
    let at = whole.events.iter().position(|event| event.bytes == 70_002).expect("it is there");
    let (_, trace) = record(&program, &[], &late(After::Events(at as u64)));
    assert_eq!(sizes(&trace)[0], (Op::Allocate, 70_002));
}

#[test]
fn a_recording_begins_after_a_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compile(folder.path(), LATE, &["-O1", "-ldl"]) else { return };
    let settings = Settings { after: After::Time(Duration::ZERO), ..Settings::default() };
    let (ran, trace) = record(&program, &["wait"], &settings);
    assert!(ran.status.success(), "{:?}", ran.status);
    assert_eq!(sizes(&trace).last(), Some(&(Op::Allocate, 70_002)));
}

#[test]
fn a_recording_that_never_begins_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compile(folder.path(), LATE, &["-O1", "-ldl"]) else { return };
    let program = Program::find(&program).expect("it can be recorded");
    for (after, what) in [
        (After::Mark(99), "no mark 99 came; see whether"),
        (After::Events(1 << 40), "it had at most 1099511627776 events; name a lower number"),
        (After::Time(Duration::from_secs(1 << 30)), "no event after that time; name a shorter one"),
    ] {
        let settings = Settings { after, ..Settings::default() };
        let error = run(&program, &[], &settings).expect_err("nothing is recorded").to_string();
        assert!(error.contains(what), "{error}");
    }
}

/// A program over its own allocator, and the name of its function.
fn own_allocator(function: &str, more: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         static char memory[1 << 20]; static size_t used;\n\
         void *{function}(size_t n) {{ used += n + 15 & -16; return memory + used - (n + 15 & -16); }}\n\
         int main(void) {{ for (int n = 0; n < 999; n++) *(char *volatile *){function}(9) = 0;\n\
         {more} return 0; }}\n"
    )
}

#[test]
fn an_allocator_of_the_programs_own_is_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (function, part) in [
        ("mi_malloc", "program has mimalloc linked in"),
        ("_rjem_malloc", "program has jemalloc linked in"),
        ("__rust_alloc", "program has its own Rust #[global_allocator]"),
    ] {
        let source = own_allocator(function, "puts(\"a line has a buffer\");");
        let Some(program) = compile(folder.path(), &source, &["-O1"]) else { return };
        let (ran, _) = record(&program, &[], &Settings::default());
        let summary = ran.write(std::io::sink()).expect("it is written");
        let other = ran.other_allocator(&summary).expect("it is read").expect("it is found");
        assert!(other.to_string().ends_with(part), "{other}");
        assert!(ran.is_useless(&summary) && !other.remedy().is_empty(), "{summary:?}");
    }
    // The default allocator of Rust, and one that the program uses next to the system's.
    let many = "for (int n = 0; n < 999; n++) { void *volatile block = malloc(9); free(block); }";
    for source in [
        own_allocator("__rust_alloc", "puts(\"a line\");") + "void __rdl_alloc(void) {}\n",
        own_allocator("mi_malloc", many),
        // One that wraps the system's, of a program that asks for little.
        own_allocator(
            "__rust_alloc",
            "void *volatile one = malloc(9); free(one); one = malloc(9);",
        ),
        own_allocator("other", "puts(\"a line\");"),
    ] {
        let Some(program) = compile(folder.path(), &source, &["-O1"]) else { return };
        let (ran, _) = record(&program, &[], &Settings::default());
        let summary = ran.write(std::io::sink()).expect("it is written");
        assert_eq!(ran.other_allocator(&summary).expect("it is read"), None, "{source}");
    }
}

#[test]
fn much_memory_that_was_not_recorded_is_noticed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = "#include <stdio.h>\n#include <string.h>\nstatic char memory[120 << 20];\n\
                  int main(int count, char **arguments) {\n\
                  memset(memory, count, sizeof memory); printf(\"%d\\n\", memory[7]); return 0; }\n";
    let Some(program) = compile(folder.path(), source, &["-O1"]) else { return };
    let (ran, _) = record(&program, &[], &Settings::default());
    let mut summary = ran.write(std::io::sink()).expect("it is written");
    assert!(ran.is_memory_missed(&summary), "{} bytes, {summary:?}", ran.peak_memory_bytes);
    assert!(ran.is_of_libraries_only(&summary), "a line has a buffer, of the C library");
    let many = Summary { events: 1 << 20, ..summary.clone() };
    assert!(!ran.is_of_libraries_only(&many), "the program is the libraries' work");
    summary.program_events = 100;
    assert!(!ran.is_memory_missed(&summary), "its own blocks were seen");
}

#[test]
fn a_program_with_its_own_malloc_is_refused_by_its_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = own_allocator("malloc", "");
    let options = ["-O1", "-fno-builtin", "-rdynamic"];
    let Some(program) = compile(folder.path(), &source, &options) else { return };
    let program = Program::find(&program).expect("it can be recorded");
    let error = run(&program, &[], &Settings::default()).expect_err("nothing is recorded");
    let text = error.to_string();
    assert!(text.contains("program has its own malloc; build the program with"), "{text}");
}
