//! Tests of how contenders take turns.

use core::cell::RefCell;
use std::rc::Rc;

use super::*;

#[test]
fn everybody_runs_once_a_round_in_rotated_order_after_a_warm_up() {
    let log = Rc::new(RefCell::new(Vec::new()));
    let mut contenders: Vec<Contender> = ["a", "b", "c"]
        .into_iter()
        .map(|name| {
            let log = Rc::clone(&log);
            Contender::new(name, move || {
                log.borrow_mut().push(name);
                Pass { ns: log.borrow().len() as u64 * 10, operations: 10 }
            })
        })
        .collect();
    let mut turns: Vec<&mut Contender> = contenders.iter_mut().collect();
    let figures = interleave(&mut turns, 3);
    assert_eq!(log.borrow().concat(), "abcabcbcacab");
    // The first three passes are not counted.
    assert_eq!(figures, [[4.0, 9.0, 11.0], [5.0, 7.0, 12.0], [6.0, 8.0, 10.0]]);
}

#[test]
fn a_contender_that_is_renamed_runs_as_before() {
    let pass = Pass { ns: 3, operations: 2 };
    let mut contender = Contender::new("ours", move || pass).named("ours, on one thread");
    assert_eq!((contender.name(), contender.pass()), ("ours, on one thread", pass));
}
