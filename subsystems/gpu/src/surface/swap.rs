//! What is to be done next so that a picture is seen: the part of a window's surface that needs no
//! window.

/// How often a surface is set up again for one picture, and how often one after another is
/// recreated.
const TRIES_MAX: u32 = 3;

/// What a surface said when it was asked for room for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is room.
    Good,
    /// There is, and setting it up again would make it better.
    Suboptimal,
    /// Not now, or nobody would see it.
    NotNow,
    /// It is not of the window's size any more.
    Outdated,
    /// It is gone.
    Lost,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Make the surface again, and set it up.
    Remake,
    /// Set it up for pictures of this size.
    Configure([u32; 2]),
    /// Ask it for room.
    Ask,
    /// Draw into what it gave.
    Draw,
    /// This picture is not shown; the next one may be.
    Skip,
    /// It is lost each time that it is made.
    Fail,
}

/// How a surface is set up, and what was tried.
///
/// ```text
/// begin -> Configure -> Ask -> Draw
///    |         ^         | Outdated: Configure, three times, then Skip
///    |         |         | Lost: Remake, three in a row, then Fail
///    +-> Skip  +---------+ NotNow: Skip
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Swap {
    /// Of which size it is; none if it must be set up before it is asked.
    size: Option<[u32; 2]>,
    wanted: [u32; 2],
    /// For which size it was set up again because that would make it better: once, or it would be
    /// so for each picture.
    bettered: Option<[u32; 2]>,
    tries: u32,
    lost: u32,
}

impl Swap {
    /// Begins with a picture for a window of this size.
    pub(super) fn begin(&mut self, wanted: [u32; 2]) -> Step {
        self.wanted = wanted;
        self.tries = 0;
        if wanted.contains(&0) {
            // Minimised: no surface can be set up for that.
            return Step::Skip;
        }
        if self.size == Some(wanted) { Step::Ask } else { Step::Configure(wanted) }
    }

    /// It was set up.
    pub(super) const fn configured(&mut self, size: [u32; 2]) -> Step {
        self.size = Some(size);
        Step::Ask
    }

    /// It was recreated.
    pub(super) const fn remade(&mut self) -> Step {
        self.size = None;
        Step::Configure(self.wanted)
    }

    /// It has answered.
    pub(super) fn answered(&mut self, answer: Answer) -> Step {
        match answer {
            Answer::Good => {
                self.lost = 0;
                Step::Draw
            }
            Answer::Suboptimal => {
                self.lost = 0;
                if self.bettered != Some(self.wanted) {
                    self.bettered = Some(self.wanted);
                    // Before the next picture: this one has room.
                    self.size = None;
                }
                Step::Draw
            }
            Answer::NotNow => Step::Skip,
            Answer::Outdated => {
                self.size = None;
                self.tries += 1;
                if self.tries > TRIES_MAX { Step::Skip } else { Step::Configure(self.wanted) }
            }
            Answer::Lost => {
                self.size = None;
                self.lost += 1;
                if self.lost > TRIES_MAX { Step::Fail } else { Step::Remake }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::{Answer, Step, Swap};

    /// Shows a picture by a surface that gives these answers; returns what was done, in letters.
    fn shown(swap: &mut Swap, size: [u32; 2], answers: &[Answer]) -> String {
        let (mut answers, mut done) = (answers.iter(), String::new());
        let mut step = swap.begin(size);
        loop {
            let (letter, next) = match step {
                Step::Remake => ('r', Some(swap.remade())),
                Step::Configure(to) => {
                    assert_eq!(to, size, "it is set up for the window's size");
                    ('c', Some(swap.configured(to)))
                }
                Step::Ask => ('a', Some(swap.answered(*answers.next().expect("an answer")))),
                Step::Draw => ('D', None),
                Step::Skip => ('S', None),
                Step::Fail => ('F', None),
            };
            done.push(letter);
            let Some(next) = next else { break };
            step = next;
        }
        assert_eq!(answers.next(), None, "all answers were asked for: {done}");
        done
    }

    #[test]
    fn it_is_set_up_when_the_window_has_another_size() {
        let mut swap = Swap::default();
        assert_eq!(shown(&mut swap, [8, 8], &[Answer::Good]), "caD", "the first");
        assert_eq!(shown(&mut swap, [8, 8], &[Answer::Good]), "aD", "as it was");
        assert_eq!(shown(&mut swap, [9, 8], &[Answer::Good]), "caD", "wider");
    }

    #[test]
    fn a_minimised_window_is_not_drawn_and_comes_back() {
        let mut swap = Swap::default();
        assert_eq!(shown(&mut swap, [0, 0], &[]), "S", "from the first picture on");
        assert_eq!(shown(&mut swap, [8, 8], &[Answer::Good]), "caD", "then");
        for empty in [[0, 8], [8, 0]] {
            assert_eq!(shown(&mut swap, empty, &[]), "S", "{empty:?}");
        }
        assert_eq!(shown(&mut swap, [8, 8], &[Answer::Good]), "aD", "it is of that size still");
        assert_eq!(shown(&mut swap, [8, 8], &[Answer::NotNow]), "aS", "nobody would see it");
        assert_eq!(shown(&mut swap, [8, 8], &[Answer::Good]), "aD", "and again");
    }

    #[test]
    fn what_is_outdated_is_set_up_again_but_not_for_ever() {
        let mut swap = Swap::default();
        let old = Answer::Outdated;
        assert_eq!(shown(&mut swap, [8, 8], &[old, Answer::Good]), "cacaD", "once");
        assert_eq!(shown(&mut swap, [8, 8], &[old; 4]), "acacacaS", "three times");
        assert_eq!(shown(&mut swap, [8, 8], &[Answer::Good]), "caD", "the next is shown");
    }

    #[test]
    fn what_is_lost_is_made_again_and_said_if_that_does_not_help() {
        let mut swap = Swap::default();
        let lost = Answer::Lost;
        assert_eq!(shown(&mut swap, [8, 8], &[lost, Answer::Good]), "carcaD", "once");
        assert_eq!(shown(&mut swap, [8, 8], &[lost, Answer::NotNow]), "arcaS", "not yet seen");
        assert_eq!(shown(&mut swap, [8, 8], &[lost; 3]), "arcarcaF", "three others in a row");
    }

    #[test]
    fn what_could_be_better_is_made_better_once() {
        let mut swap = Swap::default();
        let poor = Answer::Suboptimal;
        assert_eq!(shown(&mut swap, [8, 8], &[poor]), "caD", "this one is drawn");
        assert_eq!(shown(&mut swap, [8, 8], &[poor]), "caD", "set up for the next");
        assert_eq!(shown(&mut swap, [8, 8], &[poor]), "aD", "it is as good as it gets");
        assert_eq!(shown(&mut swap, [9, 9], &[poor]), "caD", "another size");
        assert_eq!(shown(&mut swap, [9, 9], &[Answer::Good]), "caD", "may be better");
    }
}
