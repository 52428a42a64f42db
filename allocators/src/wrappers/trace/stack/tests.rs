//! Tests of stacks: the captured frames, and the text of those without a name.

use core::ffi::c_void;
use core::ptr;
use std::vec::Vec;

use super::{FRAMES, Stack};

impl Stack {
    /// Creates a stack of these return addresses, none of them zero.
    pub(in crate::wrappers::trace) fn of(frames: &[usize]) -> Self {
        let mut stack = Self::NONE;
        for (place, &frame) in stack.frames.iter_mut().zip(frames) {
            *place = ptr::without_provenance_mut::<c_void>(frame);
        }
        stack
    }
}

#[test]
fn frames_end_at_the_first_that_is_null() {
    for count in 0..=FRAMES {
        let frames: Vec<usize> = (1..=count).collect();
        let stack = Stack::of(&frames);
        let found: Vec<usize> = stack.frames().iter().map(|frame| frame.addr()).collect();
        assert_eq!(found, frames, "{count} frames");
    }
}

#[cfg(feature = "stacks")]
mod captured {
    use core::fmt;
    use core::panic::Location;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use crate::wrappers::trace::stack::{FRAMES, Stack, write_frames};

    /// Displays the frames of a stack as a report does.
    struct Shown<'a>(&'a Stack, &'a Location<'a>);

    impl fmt::Display for Shown<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_frames(f, self.0, self.1)
        }
    }

    /// Returns the names of the frames.
    fn names(stack: &Stack) -> Vec<String> {
        let mut names = Vec::new();
        for &frame in stack.frames() {
            backtrace::resolve(frame, |symbol| {
                names.extend(symbol.name().map(|name| name.to_string()));
            });
        }
        names
    }

    #[inline(never)]
    fn capture_here() -> Stack {
        core::hint::black_box(Stack::capture())
    }

    #[inline(never)]
    fn capture_below(depth: usize) -> Stack {
        let stack = if depth == 0 { capture_here() } else { capture_below(depth - 1) };
        core::hint::black_box(stack)
    }

    #[test]
    fn a_stack_begins_above_the_unwinder() {
        let stack = capture_here();
        let names = names(&stack);
        // The frames of the unwinder, and that of the capture, would come before.
        assert!(names[0].contains("capture_here"), "{names:#?}");
    }

    #[test]
    fn a_deep_stack_has_its_innermost_frames() {
        let stack = capture_below(40);
        assert_eq!(stack.frames().len(), FRAMES, "as many as are kept");
        let names = names(&stack);
        assert!(names[0].contains("capture_here"), "{names:#?}");
        assert!(names[1..].iter().all(|name| name.contains("capture_below")), "{names:#?}");
    }

    #[test]
    fn frames_without_a_symbol_are_told_all() {
        let here = Location::caller();
        assert_eq!(Shown(&Stack::NONE, here).to_string(), "", "no frames");
        assert_eq!(
            Shown(&Stack::of(&[1, 2, 3]), here).to_string(),
            "\n       0: (no symbol)\n       1: (no symbol)\n       2: (no symbol)"
        );
    }

    #[test]
    fn all_frames_are_told_where_none_called() {
        let stack = capture_below(2);
        // No allocation was requested at this line, so no frame matches it.
        let text = Shown(&stack, Location::caller()).to_string();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        for (number, name) in
            ["capture_here", "capture_below", "capture_below", "capture_below"].iter().enumerate()
        {
            let begin = std::format!("{number:8}: ");
            assert!(lines[number].starts_with(&begin), "{text}");
            assert!(lines[number].contains(name), "{text}");
            assert!(lines[number].contains("stack/tests.rs:"), "{text}");
        }
        assert!(!text.contains("__rust_begin_short_backtrace"), "{text}");
    }
}
