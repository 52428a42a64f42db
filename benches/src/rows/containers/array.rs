//! The growable array compared with vectors.
//!
//! - `push`, `extend`: one element, or 16 at once, appended to an array that has room already.
//! - `grow1k`, `grow1m`: a thousand or a million pushes from nothing, and giving the memory back.
//!   `-libc` is held against a vector over the C library's allocator, whose large blocks grow by
//!   moving pages, and not by copying.
//! - `uninit`: room for a million numbers written once, against a vector that is resized with zeros
//!   and then written. `uninit/64k` is the same with 64 KiB, which stay in the second cache; there
//!   the zeros are written at twice the speed of the numbers, for which no instruction of the
//!   baseline is as wide.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::array::{
    ApiVector, Growable, OurArray, Small, SystemVector, Vector, extend, grow, push, uninit,
};

/// Returns the rows of arrays.
pub(super) fn rows() -> Vec<Row> {
    vec![
        row("push", 1.05, 1.0, pushed),
        row("extend", 1.05, 1.0, extended),
        row("grow1k", 1.1, 0.9, grown::<1_000>),
        row("grow1k-libc", 1.1, 0.9, grown_libc::<1_000>),
        row("grow1m", 1.3, 1.0, grown::<1_000_000>),
        row("grow1m-libc", 1.3, 1.0, grown_libc::<1_000_000>),
        row("uninit", 0.67, 0.5, uninitialised::<1_000_000>),
        row("uninit/64k", 0.67, 0.5, uninitialised::<{ 16 << 10 }>),
    ]
}

fn row(name: &str, target: f64, goal: f64, made: fn() -> Race) -> Row {
    let aim = Aim::over_peer(target, goal);
    Row::new(format!("containers/array/{name}"), Unit::Ns, aim, Measure::Race(made))
}

fn pushed() -> Race {
    Race {
        ours: push::<OurArray>("Array"),
        peers: vec![
            push::<Vector>("Vec"),
            push::<ApiVector>("allocator-api2 Vec"),
            push::<Small>("SmallVec"),
        ],
        absent: Vec::new(),
    }
}

fn extended() -> Race {
    Race {
        ours: extend::<OurArray>("Array"),
        peers: vec![
            extend::<Vector>("Vec"),
            extend::<ApiVector>("allocator-api2 Vec"),
            extend::<Small>("SmallVec"),
        ],
        absent: Vec::new(),
    }
}

fn grown<const LEN: u32>() -> Race {
    Race {
        ours: grow::<OurArray, LEN>("Array"),
        peers: vec![
            grow::<Vector, LEN>("Vec"),
            grow::<ApiVector, LEN>("allocator-api2 Vec"),
            grow::<Small, LEN>("SmallVec"),
        ],
        absent: Vec::new(),
    }
}

fn grown_libc<const LEN: u32>() -> Race {
    beside::<SystemVector>(grow::<OurArray, LEN>, grow::<SystemVector, LEN>)
}

fn uninitialised<const LEN: usize>() -> Race {
    beside::<Vector>(uninit::<OurArray, LEN>, uninit::<Vector, LEN>)
}

type Made = fn(&'static str) -> crate::contender::Contender;

fn beside<P: Growable>(ours: Made, peer: Made) -> Race {
    Race { ours: ours("Array"), peers: vec![peer(P::NAME)], absent: Vec::new() }
}
