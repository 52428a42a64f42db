//! The rows of rendering.
//!
//! `render/sort100k/*` merges 100 000 draws of eight contexts and sorts them by key: an operation
//! is a draw. The peers copy the same keys and places into one array and sort that: std's stable
//! sort, voracious_radix_sort's stable one, and rdst's on one thread, which does not keep the order
//! of equal keys.
//!
//! - `scene` are keys of a frame: two layers by state, one front to back, one back to front, 200
//!   states.
//! - `random` are keys that differ in all bits, the worst for a sort by digits.
//!
//! `render/sort100k-time/*` is the same as a plain time: the aim is 2.9 ms for all.
//!
//! `render/draw10k/*` is the time per draw that our renderer adds to the same calls of wgpu: a
//! frame of 10 000 draws with 200 states, from a display list to the card's queue, less the same
//! calls of wgpu without us. wgpu ends in its device that draws nothing, as a driver's time is ten
//! times ours and moves by more than ours from round to round; of both times the least of 60
//! rounds is taken before they are subtracted, and the row has 25 such figures. The note has the
//! times with the machine's driver, too, and wgpu with a call for each draw.
//!
//! - `folded` by state: 200 indirect draws.
//! - `unfolded` from back to front: nearly as many indirect draws as draws.
//!
//! `render/cull/spheres` tests 100 000 bounding spheres against a camera, compared with a loop over
//! structs with vectors of glam.
//!
//! `render/many100k/*` is a frame of 100 000 meshes on a sphere around the camera, from culling to
//! the list that a back end plays: culled and queued in eight pieces, merged, sorted, listed. On one
//! thread it is processor time, on two it is time on the wall.
//!
//! `render/lights1000` chooses and puts into tiles 1 000 lights that are all seen.

use crate::contender::{Contender, Race};
use crate::outcome::{Aim, Reading};
use crate::rows::{Measure, Row, Unit};
use crate::work::draws::{Order, beyond_wgpu};
use crate::work::render::{
    DRAWS, Keys, Peer, merged_by_peer, merged_by_us, one_by_one, our_culling,
};
use crate::work::scenes::{lights, many};

/// What 100 000 items may take.
const MS: f64 = 2.9;

/// Returns the rows of rendering.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name: &str, aim, made: fn() -> Race| {
        Row::new(format!("render/{name}"), Unit::Ns, aim, Measure::Race(made))
    };
    let ahead = Aim::over_peer(1.0, 0.5);
    let time = Aim::time(MS * 1e6 / DRAWS as f64, MS * 0.5e6 / DRAWS as f64);
    let alone = |name: &str, made: fn() -> Contender| {
        Row::new(format!("render/{name}"), Unit::Ns, time, Measure::Alone(made))
    };
    let beyond = |name: &str, measure: fn() -> Reading| {
        let aim = Aim::time(10.0, 5.0);
        Row::new(format!("render/draw10k/{name}"), Unit::Ns, aim, Measure::Once(measure))
    };
    let frame = |name: &str, aim, made: fn() -> Contender| {
        Row::new(format!("render/{name}"), Unit::Ms, aim, Measure::Alone(made))
    };
    vec![
        row("sort100k/scene", ahead, || sorts(Keys::Scene)),
        row("sort100k/random", ahead, || sorts(Keys::Random)),
        alone("sort100k-time/scene", || merged_by_us(Keys::Scene)),
        alone("sort100k-time/random", || merged_by_us(Keys::Random)),
        beyond("folded", || beyond_wgpu(Order::Folded)),
        beyond("unfolded", || beyond_wgpu(Order::Unfolded)),
        frame("many100k/1-thread", Aim::time(2.0, 1.0), many::<1>),
        frame("many100k/2-threads", Aim::time(1.2, 0.6), many::<2>),
        frame("lights1000", Aim::time(0.5, 0.1), lights),
        row("cull/spheres", ahead, || Race {
            ours: our_culling(),
            peers: vec![one_by_one()],
            absent: Vec::new(),
        }),
    ]
}

fn sorts(keys: Keys) -> Race {
    let peers = Peer::ALL.map(|peer| merged_by_peer(keys, peer)).into();
    Race { ours: merged_by_us(keys), peers, absent: Vec::new() }
}
