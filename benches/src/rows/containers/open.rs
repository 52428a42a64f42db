//! The rows of open arrays: structs whose fields are known at run time, compared with native ones.
//!
//! `sweep-aos` is held against a vector of structs, `sweep-soa` against a struct of vectors; both
//! move positions. `sweep-soa-floats` sweeps over two fields of one float each, which vectors of
//! floats do several at a time.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::open;

/// Returns the rows of open arrays.
pub(super) fn rows() -> Vec<Row> {
    let structs = Aim::over_peer(1.1, 1.02);
    let columns = Aim::over_peer(1.05, 1.0);
    vec![
        race("sweep-aos/1k", structs, structs_race::<1_000>),
        race("sweep-aos/100k", structs, structs_race::<100_000>),
        race("sweep-soa/1k", columns, columns_race::<1_000>),
        race("sweep-soa/100k", columns, columns_race::<100_000>),
        race("sweep-soa-floats/1k", columns, floats_race::<1_000>),
        race("sweep-soa-floats/100k", columns, floats_race::<100_000>),
    ]
}

fn race(name: &str, aim: Aim, made: fn() -> Race) -> Row {
    Row::new(format!("containers/open/{name}"), Unit::Ns, aim, Measure::Race(made))
}

fn structs_race<const ROWS: u32>() -> Race {
    Race {
        ours: open::our_structs(ROWS),
        peers: vec![open::native_structs(ROWS)],
        absent: Vec::new(),
    }
}

fn columns_race<const ROWS: u32>() -> Race {
    Race {
        ours: open::our_columns(ROWS),
        peers: vec![open::native_columns(ROWS)],
        absent: Vec::new(),
    }
}

fn floats_race<const ROWS: u32>() -> Race {
    Race {
        ours: open::our_floats(ROWS),
        peers: vec![open::native_floats(ROWS)],
        absent: Vec::new(),
    }
}
