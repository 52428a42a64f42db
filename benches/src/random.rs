//! Random numbers for scripts and loops: those of the replay, the same for every contender.

pub(crate) use loligo_replay::random::Random;
