//! Commands whose output nobody reads on: `loligo run .. 2>&1 | head -1`.

use std::process::Stdio;

use crate::support::Place;

/// Runs the command with both outputs closed at the other end, and returns its exit status.
fn unheard(place: &Place, arguments: &[&str]) -> Option<i32> {
    let mut child = place
        .loligo(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop((child.stdout.take(), child.stderr.take()));
    child.wait().expect("the child is ours").code()
}

#[test]
fn a_command_that_nobody_hears_ends_as_if_it_were_heard() {
    let place = Place::new();
    place.file("wrong.sjson", "a = [");
    place.file("right.sjson", "a = 1");
    for (arguments, status) in [
        (&["sjson", "check", "wrong.sjson"][..], 1),
        (&["sjson", "check", "right.sjson"], 0),
        (&["sjson", "check", "absent.sjson"], 2),
        (&["run", "absent"], 2),
        (&["compile", "absent"], 2),
        (&["replay", "absent.altrace"], 2),
        (&["convert", "absent"], 2),
    ] {
        assert_eq!(unheard(&place, arguments), Some(status), "{arguments:?}");
    }
}
