//! Tests of patterns. What they match is compared with Lua's own functions in `tests/it/texts.rs`.

use super::{Capture, DEPTH_MAX, Matcher, PatternError};

/// Matches and returns the match and what was captured.
fn found(text: &str, pattern: &str) -> Option<(usize, usize, Vec<Capture>)> {
    let mut matcher = Matcher::new(text.as_bytes(), pattern.as_bytes(), |_| false);
    let (start, end) = matcher.find(0, false).expect("a pattern")?;
    Some((start, end, matcher.captures().expect("they end").to_vec()))
}

fn error(text: &str, pattern: &str) -> PatternError {
    let mut matcher = Matcher::new(text.as_bytes(), pattern.as_bytes(), |_| false);
    match matcher.find(0, false) {
        Err(error) => error,
        Ok(_) => matcher.captures().expect_err("it is wrong"),
    }
}

#[test]
fn classes_and_repetitions_match_what_the_manual_says() {
    for (text, pattern, start, end) in [
        ("hello 123", "%d+", 6, 9),
        ("hello", "l*", 0, 0),
        ("hello", "l+", 2, 4),
        ("<a><b>", "<.->", 0, 3),
        ("<a><b>", "<.*>", 0, 6),
        ("color", "colou?r", 0, 5),
        ("x[y]", "[%]x]", 0, 1),
        ("a]b", "[]]", 1, 2),
        ("a-b", "[a%-]+", 0, 2),
        ("THE (quick) fox", "%((%a+)%)", 4, 11),
        ("f(a(b)c)d", "%b()", 1, 8),
        ("THE (quick) fox", "%f[%a]%a+%f[%A]", 0, 3),
        ("abc", "c$", 2, 3),
        ("a$c", "$c", 1, 3),
        ("", "", 0, 0),
    ] {
        let found = found(text, pattern).expect("it matches");
        assert_eq!((found.0, found.1), (start, end), "`{pattern}` in `{text}`");
    }
    assert_eq!(found("hello", "%d"), None);
    let (.., captures) = found("key = value", "(%w+)()%s*=%s*(%w+)").expect("it matches");
    assert_eq!(captures, [Capture::Bytes(0, 3), Capture::Place(3), Capture::Bytes(6, 11)]);
    assert!(found("say 'it'", "(['\"])(.-)%1").is_some(), "the same quote again");
}

#[test]
fn what_is_no_pattern_is_refused() {
    for pattern in ["%", "[a", "[%", "[]", "[^]", "(a", "a)", "%1", "%f", "%b", "%bx", "(%1)"] {
        let error = error("(a%1", pattern);
        assert!(matches!(error, PatternError::Malformed(_)), "`{pattern}`: {error:?}");
    }
    let many = "()".repeat(33);
    assert!(matches!(error("a", &many), PatternError::Malformed(_)));
    let deep = "a?".repeat(DEPTH_MAX as usize + 1);
    assert_eq!(error(&"a".repeat(DEPTH_MAX as usize + 1), &deep), PatternError::Deep);
}

/// A pattern that would practically never finish ends when it is asked to stop.
#[test]
fn a_pattern_that_goes_back_and_forth_is_stopped() {
    let text = "a".repeat(4000);
    let mut looks = 0;
    let is_stopped = |steps| {
        assert!(steps > 0);
        looks += 1;
        looks == 3
    };
    let pattern = b"a*a*a*a*a*a*a*a*b";
    let mut matcher = Matcher::new(text.as_bytes(), pattern, is_stopped);
    assert_eq!(matcher.find(0, false), Err(PatternError::Stopped));
    assert_eq!(looks, 3, "at the third look");
    let mut is_first = true;
    let (text, plain) = ("a".repeat(1 << 17), format!("{}b", "a".repeat(1 << 16)));
    let mut matcher =
        Matcher::new(text.as_bytes(), plain.as_bytes(), |_| !core::mem::take(&mut is_first));
    assert_eq!(matcher.find_plain(0), Err(PatternError::Stopped));
}
