//! Invalid paths, full files, and processes that did not create the file.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::string::String;
use std::{env, format, fs, process};

use super::{File, PATH_BYTES_MAX};
use crate::testing::test_child::{MemoryFile, check, run};
use crate::wrappers::trace::SinkError;

fn refused(path: &str) -> SinkError {
    File::create(path).err().expect("there can be no such file")
}

#[test]
fn a_path_has_room_and_no_zero() {
    let told = SinkError::new("its path is too long, or has a zero in it");
    let long: String = core::iter::repeat_n('/', PATH_BYTES_MAX - 1).collect();
    assert_eq!(refused(&long).kind(), Some(ErrorKind::IsADirectory), "the root, said at length");
    assert_eq!(refused(&format!("{long}/")), told, "no room for the zero that ends it");
    assert_eq!(refused(&format!("{long}{long}")), told, "longer still");
    assert_eq!(refused("a\0b"), told, "a zero within");
    assert_eq!(refused("/no/such/folder/file").kind(), Some(ErrorKind::NotFound), "no folder");
}

#[test]
fn a_file_is_made_for_data_and_emptied() {
    let path = env::temp_dir().join(format!("loligo-recording-{}", process::id()));
    let name = path.to_str().expect("a path in letters");
    drop(fs::remove_file(&path));
    let file = File::create(name).expect("the folder is there");
    assert_eq!(file.write(b"first"), Ok(()), "it takes all");
    let mode = fs::metadata(&path).expect("it was made").permissions().mode();
    assert_eq!(mode & 0o111, 0, "it is not executable: {mode:o}");
    assert_eq!(fs::read(&path).expect("it was made"), b"first");
    let again = File::create(name).expect("it is there");
    assert_eq!(fs::read(&path).expect("it is there"), b"", "it was emptied");
    assert_eq!(again.write(b"one"), Ok(()));
    assert_eq!(again.write(b""), Ok(()));
    assert_eq!(again.write(b", two"), Ok(()));
    assert_eq!(fs::read(&path).expect("it is there"), b"one, two", "one after the other");
    fs::remove_file(&path).expect("it is there");
}

#[test]
fn a_full_file_says_so() {
    let full = File::create("/dev/full").expect("the device is there");
    let error = full.write(b"more").expect_err("it takes nothing").expect("it says why");
    assert_eq!(error.kind(), Some(ErrorKind::StorageFull), "{error}");
}

#[test]
fn a_file_is_written_by_the_process_that_made_it() {
    let memory = MemoryFile::new();
    let file = File::create(&memory.path()).expect("it is there");
    let answer = run(|| {
        check!(file.write(b"child") == Err(None));
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
    assert_eq!(file.write(b"parent"), Ok(()));
    assert_eq!(memory.bytes(), b"parent", "nothing of the child");
}

/// If standard input is closed, the file gets its number, 0.
#[test]
fn the_number_zero_is_a_file_as_any_other() {
    let memory = MemoryFile::new();
    let answer = run(|| {
        let path = memory.path();
        // SAFETY: nothing in this child reads.
        check!(unsafe { libc::close(0) } == 0);
        let Ok(file) = File::create(&path) else { return line!() };
        check!(file.descriptor == 0);
        check!(file.write(b"zero") == Ok(()));
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
    assert_eq!(memory.bytes(), b"zero");
}

/// The number of the descriptor that the handler reads from.
const PIPE_END: libc::c_int = 250;
const PIPE_BYTES: usize = 4096;

extern "C" fn make_room(_: libc::c_int) {
    let mut bytes = [0_u8; PIPE_BYTES];
    // SAFETY: it leads to the thread's own number.
    let error = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { error.read() };
    // SAFETY: the buffer is as long; the descriptor never waits.
    unsafe { libc::read(PIPE_END, bytes.as_mut_ptr().cast(), bytes.len()) };
    // A handler must preserve the program's errno.
    // SAFETY: as above.
    unsafe { error.write(before) };
}

/// Creates a pipe of one page, which a signal handler drains. Returns the write end, or the line
/// that failed.
fn pipe_with_signals() -> Result<libc::c_int, u32> {
    let is_done = |result: libc::c_int, line| if result < 0 { Err(line) } else { Ok(()) };
    let mut ends = [0; 2];
    // SAFETY: a place for two descriptors.
    is_done(unsafe { libc::pipe(ends.as_mut_ptr()) }, line!())?;
    // SAFETY: the reading end gets the number that the handler knows.
    is_done(unsafe { libc::dup2(ends[0], PIPE_END) }, line!())?;
    // SAFETY: the handler must not wait.
    is_done(unsafe { libc::fcntl(PIPE_END, libc::F_SETFL, libc::O_NONBLOCK) }, line!())?;
    // SAFETY: makes the pipe small.
    is_done(unsafe { libc::fcntl(ends[1], libc::F_SETPIPE_SZ, PIPE_BYTES) }, line!())?;
    // SAFETY: all zero is a value of this plain structure: no flags, so no write is started again.
    let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
    let handler: extern "C" fn(libc::c_int) = make_room;
    action.sa_sigaction = handler as usize;
    // SAFETY: the handler has the signature that is asked for without SA_SIGINFO.
    let set = unsafe { libc::sigaction(libc::SIGALRM, &raw const action, core::ptr::null_mut()) };
    is_done(set, line!())?;
    Ok(ends[1])
}

/// Sends the signal repeatedly from now on.
fn send_signals() -> bool {
    let moment = libc::timeval { tv_sec: 0, tv_usec: 500 };
    let often = libc::itimerval { it_interval: moment, it_value: moment };
    // SAFETY: requests the signal; the earlier timer is not read.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const often, core::ptr::null_mut()) == 0 }
}

/// A signal with a handler interrupts a write that waits for room; that is not an error.
#[test]
fn a_write_that_a_signal_interrupts_goes_on() {
    let answer = run(|| {
        let end = match pipe_with_signals() {
            Ok(end) => end,
            Err(line) => return line,
        };
        let Ok(file) = File::create(&format!("/proc/self/fd/{end}")) else { return line!() };
        // Only now, as a signal also interrupts an open.
        check!(send_signals());
        // Each but the first waits for the room that a signal makes.
        for _ in 0..8 {
            check!(file.write(&[1; PIPE_BYTES]) == Ok(()));
        }
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}
