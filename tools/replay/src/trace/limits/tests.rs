//! Tests with files that become more than they are.

use std::io::{self, Read};

use crate::convert::{self, ConvertErrorKind};
use crate::trace::{Event, Limits, MAGIC_2, Op, Trace, TraceErrorKind, UNIT_BYTES, write_trace};

/// Returns a trace of `pairs` allocations that are freed at once, and its compressed form.
fn bomb(pairs: usize) -> (Vec<u8>, Vec<u8>) {
    let event = |op, bytes| Event { op, align_log2: 4, thread: 0, slot: 0, bytes };
    let events = [event(Op::Allocate, 100), event(Op::Free, 0)].repeat(pairs);
    let mut file = Vec::new();
    write_trace(&mut file, &events).expect("a vector takes every write");
    let packed = zstd::encode_all(&file[..], 19).expect("compressing in memory");
    (file, packed)
}

/// Counts the bytes that are read.
struct Counting<'c, R>(R, &'c mut usize);

impl<R: Read> Read for Counting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        *self.1 += read;
        Ok(read)
    }
}

#[test]
fn a_file_that_unpacks_beyond_the_limit_is_refused_there() {
    let (file, packed) = bomb(100_000);
    assert!(packed.len() * 1000 < file.len(), "{} of {}", packed.len(), file.len());
    let length = file.len() as u64;
    let read = |limit| Trace::read_zst_within("bomb", &packed[..], Limits::unpacked(limit));
    for limit in [0, 7, 8, 1000, length - 1] {
        let error = read(limit).expect_err("it unpacks further");
        assert!(
            matches!(error.kind, TraceErrorKind::UnpacksTooFar { bytes_max } if bytes_max == limit),
            "{error}"
        );
        let text = error.to_string();
        assert!(text.contains(&format!("more than {limit} bytes; give --unpacked-max")), "{text}");
    }
    for limit in [length, length + 1, u64::MAX] {
        assert_eq!(read(limit).expect("it is as long").events.len(), 200_000);
    }
    assert_eq!(Limits::default().unpacked_bytes, 1 << 30);
}

#[test]
fn a_pipe_that_does_not_end_is_refused_at_the_limit() {
    let mut taken = 0;
    let unit = [&MAGIC_2[..], &[255; 1], &[0; UNIT_BYTES - 1]].concat();
    // Records that a reader passes over, without end.
    let endless = unit.chain(io::repeat(255));
    let input = Counting(endless, &mut taken);
    let fault = super::super::read_bounded("pipe".into(), "pipe", input, Limits::unpacked(1 << 20));
    let error = fault.expect_err("it does not end");
    assert!(matches!(error.kind, TraceErrorKind::UnpacksTooFar { .. }), "{error}");
    assert!(taken <= (1 << 20) + 1, "{taken} bytes");
}

#[test]
fn what_a_file_claims_is_not_allocated() {
    // A last record of 2^60 events.
    let mut end = [0; UNIT_BYTES];
    end[0] = 8;
    end[8..16].copy_from_slice(&(1_u64 << 60).to_le_bytes());
    let claims = [&MAGIC_2[..], &end].concat();
    let error = Trace::read("claims", &claims[..]).expect_err("there are none");
    assert!(matches!(error.kind, TraceErrorKind::WrongCount { said, found: 0 } if said == 1 << 60));
    // Frames of zstd that say that they become 2^60 bytes: with a window of their own, and as one
    // segment.
    for head in [&[0xC0, 0x58][..], &[0xE0]] {
        let size = (1_u64 << 60).to_le_bytes();
        let frame = [&b"\x28\xb5\x2f\xfd"[..], head, &size, &[1, 0, 0]].concat();
        let error = Trace::read_zst("claims", &frame[..]).expect_err("there is nothing in it");
        assert!(
            matches!(error.kind, TraceErrorKind::Compressed(_) | TraceErrorKind::BadMagic),
            "{error}"
        );
    }
}

#[test]
fn what_is_converted_is_bounded_too() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let path = place.path().join("heaptrack.zst");
    let text = format!("v 10400 3\n{}", "a 64 0\n".repeat(100_000));
    let packed = zstd::encode_all(text.as_bytes(), 19).expect("compressing in memory");
    std::fs::write(&path, packed).expect("the folder may be written");
    let convert =
        |limit| convert::convert(&path, None, Limits::unpacked(limit), io::sink()).map(drop);
    let error = convert(1000).expect_err("it unpacks further");
    assert!(matches!(error.kind, ConvertErrorKind::UnpacksTooFar { bytes_max: 1000 }), "{error}");
    assert!(error.to_string().contains("give --unpacked-max BYTES"), "{error}");
    convert(text.len() as u64).expect("it is as long");
}

/// More blocks of the greatest size than 64 bits count the bytes of.
#[test]
fn the_live_bytes_of_another_recorder_do_not_wrap() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let path = place.path().join("heaptrack");
    let text = format!("v 10400 3\na 800000000000 0\n{}", "+ 0\n".repeat((1 << 17) + 1));
    std::fs::write(&path, text).expect("the folder may be written");
    let summary = convert::convert(&path, None, convert::LIMITS, io::sink()).expect("it is right");
    assert_eq!(summary.peak_bytes, u64::MAX);
}
