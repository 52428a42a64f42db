//! `loligo convert` from outside.

use loligo_replay::trace::Trace;

use crate::support::Place;

const HEAPTRACK: &str = include_str!("../../../replay/src/convert/samples/heaptrack.txt");
const LOGALLOC: &str = include_str!("../../../replay/src/convert/samples/logalloc.txt");

#[test]
fn data_of_other_recorders_becomes_a_recording() {
    let place = Place::new();
    let packed = zstd::encode_all(HEAPTRACK.as_bytes(), 3).expect("compressing in memory");
    place.file("heaptrack.zst", packed);
    place.file("heaptrack", HEAPTRACK);
    place.file("malloc.log", LOGALLOC);
    for (input, output, events) in [
        ("heaptrack.zst", "a.altrace.zst", 11),
        ("heaptrack", "b.altrace", 11),
        ("malloc.log", "c.altrace.zst", 8),
    ] {
        let (code, stdout, stderr) = place.run(&["convert", input, output]);
        assert_eq!((code, &*stdout), (0, ""), "{stderr}");
        assert!(stderr.contains(&format!("{output}: {events} events of ")), "{stderr}");
        let trace = Trace::open(&place.path(output)).expect("valid");
        assert_eq!(trace.events.len(), events, "{input}");
    }
    let (code, _, stderr) =
        place.run(&["convert", "malloc.log", "d.altrace", "--process", "18545"]);
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn what_cannot_be_converted_is_said_and_leaves_nothing() {
    let place = Place::new();
    place.file("plain.txt", "hello\n");
    place.file("packed.gz", b"\x1f\x8b\x08\x00");
    place.file("broken", format!("{HEAPTRACK}\n+ ff\n"));
    let packed = zstd::encode_all(HEAPTRACK.as_bytes(), 3).expect("compressing in memory");
    place.file("cut.zst", &packed[..packed.len() / 2]);
    for (input, wanted) in [
        ("plain.txt", "plain.txt: is of no known recorder; give what heaptrack writes"),
        ("packed.gz", "packed.gz: is compressed with gzip; unpack it with gunzip"),
        (
            "broken",
            "kind of allocation number 255, of which 6 are named so far; the file is damaged",
        ),
        ("cut.zst", "cut.zst: "),
        ("none", "none: cannot be read: "),
    ] {
        let stderr = place.refused(&["convert", input, "out.altrace"]);
        assert!(stderr.starts_with("loligo: ") && stderr.contains(wanted), "{stderr}");
    }
    let stderr = place.refused(&["convert", "plain.txt", "none/out.altrace"]);
    assert!(stderr.contains("none/out.altrace: cannot write"), "{stderr}");
}
