//! Tests of the simulation.

use super::machine::{Access, Bill, Costs, Line, Place, Total};
use super::pattern::{Pattern, Rules, Tally, simulate};
use super::report::row_of;
use super::schemes::SchemeName;
use super::*;

const LINE: Line = Line(Place::Block, 0, 0);

fn rules(pattern: Pattern, scheme: SchemeName, cores: u32) -> Rules {
    Rules { pattern, scheme, cores, costs: Costs::default(), touch: false, times: 1 }
}

fn transfers(machine: &Machine) -> u64 {
    machine.total(Bill::Own).transfers
}

fn all(test: impl Fn(Pattern, SchemeName)) {
    for pattern in Pattern::ALL {
        for scheme in SchemeName::ALL {
            test(pattern, scheme);
        }
    }
}

#[test]
fn one_core_has_no_transfer() {
    all(|pattern, scheme| {
        let tally = simulate(rules(pattern, scheme, 1));
        assert_eq!(tally.hand_over.transfers + tally.own.transfers, 0, "{pattern:?} {scheme:?}");
        assert!(tally.foreign_frees > 0 && tally.hand_over.ns > 0, "{pattern:?} {scheme:?}");
    });
}

#[test]
fn two_cores_in_turns_on_a_line_have_a_transfer_a_step() {
    for access in [Access::Write, Access::Atomic] {
        let mut machine = Machine::new(2, Costs::default());
        machine.access(0, LINE, access);
        for step in 1..=10 {
            machine.access(step % 2, LINE, access);
            assert_eq!(transfers(&machine), u64::from(step), "{access:?}");
        }
    }
}

#[test]
fn readers_share_a_line_and_a_writer_takes_it() {
    let mut machine = Machine::new(3, Costs::default());
    machine.access(0, LINE, Access::Write);
    for _ in 0..3 {
        machine.access(1, LINE, Access::Read);
        machine.access(2, LINE, Access::Read);
        machine.access(0, LINE, Access::Read);
    }
    assert_eq!(transfers(&machine), 2, "each reader fetches it once");
    machine.access(1, LINE, Access::Write);
    machine.access(1, LINE, Access::Write);
    assert_eq!(transfers(&machine), 3, "the others drop it once");
}

#[test]
fn transfers_cost_what_the_sockets_state_and_queue_up() {
    let costs = Costs { socket_cores: 2, ..Costs::default() };
    let after = |cores: &[u32], last: u32| {
        let mut machine = Machine::new(4, costs);
        cores.iter().for_each(|core| machine.access(*core, LINE, Access::Read));
        let begin = machine.clock(last);
        machine.access(last, LINE, Access::Write);
        machine.clock(last) - begin
    };
    assert_eq!(after(&[], 0), 1);
    assert_eq!(after(&[0], 1), 61);
    assert_eq!(after(&[0], 2), 131);
    assert_eq!(after(&[0, 3], 1), 131, "the farthest holder has to drop it");
    let mut machine = Machine::new(3, Costs::default());
    for core in 0..3 {
        machine.access(core, LINE, Access::Write);
    }
    assert_eq!(machine.clock(1), 61);
    assert_eq!(machine.clock(2), 121, "the line arrives at core 1 first");
}

#[test]
fn a_hand_over_stays_one_within_other_bills() {
    let mut machine = Machine::new(2, Costs::default());
    machine.billed(Bill::HandOver, |machine| {
        machine.billed(Bill::Own, |machine| machine.wait(0, 7));
    });
    machine.wait(0, 10);
    machine.wait(0, 3);
    let [own, hand_over] = [Bill::Own, Bill::HandOver].map(|bill| machine.total(bill).ns);
    assert_eq!((own, hand_over), (3, 7));
}

#[test]
fn a_run_is_the_same_each_time() {
    all(|pattern, scheme| {
        let run = || simulate(rules(pattern, scheme, 3));
        assert_eq!(run(), run(), "{pattern:?} {scheme:?}");
    });
}

#[test]
fn every_free_of_a_consumer_is_foreign() {
    for scheme in SchemeName::ALL {
        let tally = simulate(rules(Pattern::XmallocTest, scheme, 4));
        assert!(tally.foreign_frees * 2 <= tally.calls, "{tally:?}");
        assert!(tally.foreign_frees * 2 >= tally.calls * 9 / 10, "{tally:?}");
    }
}

#[test]
fn a_successor_of_larson_frees_its_table_once_as_foreign() {
    let tally = simulate(rules(Pattern::Larson, SchemeName::Bits, 2));
    // The first thread has its own table, and four more follow on each core. A slot is not drawn in
    // 10 000 draws from 500 with a probability of 2e-9.
    assert_eq!(tally.foreign_frees, 2 * 4 * 500);
    assert_eq!(tally.calls, 2 * (5 * 2 * 10_000 + 500));
}

#[test]
fn without_transfers_cores_do_not_matter_to_a_scheme_without_a_lock() {
    let costs = Costs { within_ns: 0, across_ns: 0, ..Costs::default() };
    let run = |cores| {
        let tally = simulate(Rules { costs, ..rules(Pattern::Larson, SchemeName::Bits, cores) });
        tally.own.ns as f64 / tally.calls as f64
    };
    assert!((run(1) / run(8) - 1.0).abs() < 0.05, "{} and {}", run(1), run(8));
}

#[test]
fn a_receiver_that_writes_has_more_transfers() {
    let run = |touch| {
        let rules = rules(Pattern::XmallocTest, SchemeName::Bits, 2);
        simulate(Rules { touch, ..rules }).hand_over.transfers
    };
    assert!(run(true) > run(false), "{} and {}", run(true), run(false));
}

#[test]
fn a_row_has_the_means() {
    let tally = Tally {
        foreign_frees: 10,
        calls: 100,
        hand_over: Total { ns: 625, transfers: 9 },
        own: Total { ns: 375, transfers: 1 },
    };
    let row = row_of(&rules(Pattern::Larson, SchemeName::OneLock, 8), &tally);
    assert_eq!(row, "| larson | 8 | one-lock | 62.5 | 0.90 | 10.0 |");
}
