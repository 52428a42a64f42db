//! Checks in processes of their own: one that passes, one that fails, one that crashes and one that
//! hangs.

use core::time::Duration;

use loligo_tests::conformance::{self, QueueLimits, Verdict};
use loligo_tests::models::{FaultyQueue, QueueFault};
use loligo_tests::{Child, Rule, Violation};

const CHILD: Child = Child::new("verdicts::child");

/// The check that hangs never ends, so any limit finds it; the others end long before.
const SHORT: Child = CHILD.within(Duration::from_secs(2));

#[test]
fn child() {
    let Some(job) = CHILD.job() else { return };
    let mut outcomes = conformance::queue_outcomes(&QueueLimits::growing(), |test| {
        test(&mut FaultyQueue::new(QueueFault::None, None));
    });
    match job.as_str() {
        "passes" => {}
        "fails" => outcomes[0].result = Err(Violation::new(Rule::Model, "planted")),
        "crashes" => std::process::abort(),
        "crashes after its word" => {
            Verdict::tell(&outcomes[0]);
            std::process::abort()
        }
        _ => loop {
            core::hint::spin_loop();
        },
    }
    Verdict::tell(&outcomes[0]);
}

#[test]
fn every_end_of_a_check_is_told_apart() {
    let verdict =
        |child: Child, job| Verdict::of(&child.run(job).expect("a process can be started"));
    assert_eq!(verdict(CHILD, "passes"), Verdict::Passed);
    let Verdict::Failed(reason) = verdict(CHILD, "fails") else {
        panic!("a check that fails is reported as such");
    };
    assert!(reason.starts_with("Model: planted"), "{reason}");
    assert_eq!(verdict(CHILD, "crashes"), Verdict::Crashed);
    assert_eq!(verdict(CHILD, "crashes after its word"), Verdict::Crashed);
    assert_eq!(verdict(SHORT, "hangs"), Verdict::Hangs);
}
