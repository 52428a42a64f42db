//! Tests of `loligo run --trace`.

use std::fs;
use std::process::Stdio;

use crate::packets::Message;
use crate::support::Place;

fn game() -> Place {
    let place = Place::new();
    let (code, _, stderr) = place.run(&["new", "game"]);
    assert_eq!(code, 0, "{stderr}");
    place
}

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "game", "--backend", "text", "--out", "data"];
    arguments.extend_from_slice(more);
    arguments
}

/// Returns the names of the slices in a trace.
fn slices(bytes: &[u8]) -> Vec<String> {
    let packets = Message::read(bytes).0.into_iter().map(|(_, packet)| packet.into_message());
    let events = packets.filter_map(|packet| packet.message(11));
    events.filter(|event| event.number(9) == Some(1)).filter_map(|event| event.text(23)).collect()
}

/// Returns the values of floats in a trace.
fn floats(bytes: &[u8]) -> Vec<f64> {
    let packets = Message::read(bytes).0.into_iter().map(|(_, packet)| packet.into_message());
    packets.filter_map(|packet| packet.message(11)?.double(44)).collect()
}

/// Returns how many bytes whole packets have, and how many come after them.
fn whole(bytes: &[u8]) -> (usize, usize) {
    let mut end = 0;
    loop {
        let (mut at, mut len) = (end + 1, 0);
        for shift in (0..).step_by(7) {
            let Some(byte) = bytes.get(at) else { return (end, bytes.len() - end) };
            at += 1;
            len |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        if at + len > bytes.len() {
            return (end, bytes.len() - end);
        }
        end = at + len;
    }
}

#[test]
fn a_run_is_traced() {
    let place = game();
    let (code, stdout, stderr) = place.run(&run(&["--frames", "30", "--trace", "run.pftrace"]));
    assert_eq!(code, 0, "{stderr}");
    let bytes = fs::read(place.path("run.pftrace")).expect("it was written");
    let slices = slices(&bytes);
    assert_eq!(slices.iter().filter(|name| *name == "frame").count(), 30);
    let floats = floats(&bytes);
    assert_eq!(floats.len(), 30, "how long each frame took: {floats:?}");
    let said = format!("  trace: {} scopes, ", slices.len());
    assert!(stdout.contains(&said), "`{said}` in: {stdout}");
    assert!(stdout.contains(" events, 0 lost, in run.pftrace\n"), "{stdout}");
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error() {
    let place = game();
    let refused = place.refused(&run(&["--trace", "missing/run.pftrace"]));
    let said = "missing/run.pftrace: cannot write: No such file or directory (os error 2); name a file in a folder";
    assert!(refused.contains(said), "{refused}");
    let refused = place.refused(&run(&["--trace", "run.pftrace", "--without", "monitor"]));
    assert!(refused.contains("run without `--without monitor`"), "{refused}");
    if cfg!(target_os = "linux") {
        // It can be opened, and takes no byte.
        let (code, stdout, stderr) = place.run(&run(&["--frames", "3", "--trace", "/dev/full"]));
        assert_eq!(code, 2, "{stderr}");
        assert!(stdout.starts_with("3 frames of "), "the game ran: {stdout}");
        assert!(stderr.contains("/dev/full: the trace could not be written: "), "{stderr}");
    }
}

#[test]
fn an_interrupted_run_leaves_a_trace() {
    let place = game();
    let mut command = place.loligo(&run(&["--frames", "100000", "--trace", "run.pftrace"]));
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the command runs");
    let length = || fs::metadata(place.path("run.pftrace")).map_or(0, |file| file.len());
    while length() < 100_000 {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it runs until it is ended");
        std::thread::yield_now();
    }
    child.kill().and_then(|()| child.wait()).expect("it is ended");
    let bytes = fs::read(place.path("run.pftrace")).expect("it was written");
    // The kernel may end a write in the middle of the last packet.
    let (end, rest) = whole(&bytes);
    assert!(rest < 1100, "{rest} bytes after whole packets");
    assert!(slices(&bytes[..end]).len() > 500, "{} bytes of packets", end);
}
