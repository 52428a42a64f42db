//! The rows of the compiler of content: a project of 100 000 resources, by one thread.
//!
//! - `unchanged` is a compile of a process that begins, where nothing has changed: two questions to
//!   the system for each resource, and little else.
//! - `edited` is a compile in a session, of one file of which the system has given notice: until the
//!   table is written, and the running game can load the file.
//! - `seen` is the real program, `loligo run --watch` without a picture, on that many resources:
//!   from before a material is saved until the script of the game gets the event, in the frame that
//!   draws with it. It is the time on the wall, with the notice, the compile in its process and the
//!   swap. `loligo` is the program next to this one; where there is none it is not measured.
//!
//! The aims are the design's: a compile without changes in 1 s, and an edit that is seen in a game
//! that runs within 200 ms, of which 50 are the compile's.

use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::compiler::{edited, seen, unchanged};

/// Returns the rows of the compiler of content.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name: &str, target, goal, measure| {
        Row::new(format!("compiler/{name}"), Unit::Ms, Aim::time(target, goal), measure)
    };
    vec![
        row("unchanged/100k", 1_000.0, 600.0, Measure::Alone(unchanged)),
        row("edited/100k", 50.0, 20.0, Measure::Alone(edited)),
        row("seen/100k", 200.0, 100.0, Measure::Once(seen)),
    ]
}
