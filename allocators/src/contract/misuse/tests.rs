//! Tests of a report's contents, and of the line that it is written in.

use core::fmt::Write;
use core::panic::Location;
use std::format;
use std::string::ToString;

use super::{Line, Misuse, Report};

#[test]
fn a_report_tells_what_is_known_and_nothing_else() {
    let bare = Report::new(Misuse::DoubleFree, "sound", core::ptr::null());
    let text = bare.to_string();
    assert!(text.starts_with("allocator `sound`: double free"), "{text}");
    assert!(!text.contains("address") && !text.contains("bytes"), "nothing is known: {text}");
    let site = Location::caller();
    let address = core::ptr::without_provenance(64);
    let known = [
        (Report { address, ..bare }, "; address 0x40".to_string()),
        (bare.with_bytes(16), "; 16 bytes".to_string()),
        (bare.with_site(site), format!("; called from {site}")),
        (Report { address, ..bare }.with_bytes(16), "; address 0x40, 16 bytes".to_string()),
        (
            Report { address, ..bare }.with_bytes(16).with_site(site),
            format!("; address 0x40, 16 bytes, called from {site}"),
        ),
        (bare.with_bytes(16).with_site(site), format!("; 16 bytes, called from {site}")),
    ];
    for (report, end) in known {
        assert_eq!(report.to_string(), format!("{text}{end}"), "{end}");
    }
    let detailed = bare.with_detail(format_args!("it was {} once", 3)).to_string();
    assert_eq!(detailed, format!("{text}; it was 3 once"), "in words");
}

#[test]
fn every_misuse_has_a_name_and_a_remedy() {
    let all = [
        Misuse::DoubleFree,
        Misuse::ForeignFree,
        Misuse::InteriorFree,
        Misuse::WrongSize,
        Misuse::Damaged,
        Misuse::Overrun,
        Misuse::Underrun,
        Misuse::WriteAfterFree,
        Misuse::GlobalAllocation,
    ];
    let texts = all.map(Misuse::describe);
    for (at, text) in texts.into_iter().enumerate() {
        assert!(text.contains(": ") && text.len() > 20, "{:?}: {text}", all[at]);
        assert!(!texts[..at].contains(&text), "{:?} reads as another: {text}", all[at]);
    }
}

#[test]
fn a_line_is_cut_where_it_is_full() {
    let mut line = Line::new();
    assert_eq!(line.used, 0, "an empty one");
    assert_eq!(line.write_str("ab"), Ok(()), "there is room");
    assert_eq!(line.write_str(&"c".repeat(1021)), Ok(()), "there is room");
    assert!(line.write_str("de").is_err(), "half of it is cut");
    assert_eq!(line.used, 1024, "it is full");
    assert!(line.write_str("f").is_err(), "there is no room");
    assert_eq!(line.write_str(""), Ok(()), "nothing is cut");
    assert_eq!((&line.bytes[..3], &line.bytes[1022..]), (&b"abc"[..], &b"cd"[..]), "up to there");
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_is_written_as_far_as_it_has_room() {
    use crate::contract::misuse::write_stderr;
    use crate::testing::test_child::said;

    assert_eq!(said(|| write_stderr(format_args!(""))), "", "nothing");
    assert_eq!(said(|| write_stderr(format_args!("one {}\n", 2))), "one 2\n", "all of it");
    let long = "0123456789".repeat(110);
    assert_eq!(said(|| write_stderr(format_args!("{long}"))), long[..1024], "up to its room");
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_system_cuts_is_tried_again() {
    use crate::contract::misuse::write_stderr;
    use crate::testing::test_child::ended;

    extern "C" fn stop(_: libc::c_int) {
        // SAFETY: exits at once, which a handler may do.
        unsafe { libc::_exit(7) };
    }
    // The file has a size limit: the first write is cut there, and the next one raises a signal.
    for most in [1, 2, 5] {
        let (said, status) = ended(|| {
            let handler = stop as extern "C" fn(libc::c_int);
            // SAFETY: the handler only exits.
            unsafe { libc::signal(libc::SIGXFSZ, handler as libc::sighandler_t) };
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: the limit is the child's, which has no other use for it.
            let set = unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
            assert_eq!(set, 0, "the limit is set");
            write_stderr(format_args!("0123456789"));
        });
        assert_eq!(said, "0123456789"[..most as usize], "as far as it may");
        assert_eq!(status, 7 << 8, "it has tried again, once: {most}");
    }
}
