//! Tests of children.

use super::*;

#[test]
fn answers_come_back_with_their_jobs() {
    let _alone = alone();
    let mut children = Children::new(2);
    for job in 0..7_usize {
        let work = move || match job {
            3 => Err(io::Error::other("no answer")),
            4 => panic!("a child that panics"),
            // SAFETY: ends the child, as a crash would.
            5 => unsafe { libc::abort() },
            _ => Ok(vec![job as u8; job * 50_000]),
        };
        children.start(job, work).expect("a process more");
        assert!(children.running.len() <= 2, "two at a time");
    }
    let mut answers = children.finish();
    answers.sort_by_key(|(job, _)| *job);
    for (job, answer) in answers {
        let expected = (!(3..=5).contains(&job)).then(|| vec![job as u8; job * 50_000]);
        assert_eq!(answer, expected, "job {job}");
    }
}
