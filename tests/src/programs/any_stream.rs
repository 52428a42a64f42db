//! Programs on anybody's stream of events, compared with a vector.

use crate::conformance::Stream;

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on anybody's stream of events.
    AnyStreamOp of 64 by run_any_stream {
        /// Appends an event of the kind `which` modulo 5 with the given number of bytes, counted up
        /// from `which`.
        0..=49 => Append { count: u8, which: u16 },
        /// Compares all.
        50..=62 => Check,
        /// Removes all.
        63..=63 => Clear,
    }
}

/// How many kinds programs use: few, so that some follow each other.
const KINDS: u32 = 5;

/// Runs a program on a stream and on a vector, so that what
/// [`conformance::stream`](crate::conformance::stream()) found can be run again.
///
/// # Errors
///
/// [`Differs`] as soon as the two do.
pub fn run_any_stream(program: &[AnyStreamOp], stream: &mut dyn Stream) -> Result<(), Differs> {
    run_beside(program, &mut Both { stream, model: Vec::new() }).map(drop)
}

struct Both<'a> {
    stream: &'a mut dyn Stream,
    model: Vec<(u32, Vec<u8>)>,
}

impl Beside for Both<'_> {
    type Op = AnyStreamOp;

    fn step(&mut self, op: AnyStreamOp) -> Result<bool, String> {
        match op {
            AnyStreamOp::Append { count, which } => {
                let payload: Vec<u8> =
                    (0..count).map(|byte| byte.wrapping_add(which as u8)).collect();
                let kind = u32::from(which) % KINDS;
                let appended = self.stream.append(kind, &payload);
                if appended {
                    self.model.push((kind, payload));
                }
                same("empty", self.stream.is_empty(), self.model.is_empty())?;
                return Ok(appended);
            }
            AnyStreamOp::Check => self.compare()?,
            AnyStreamOp::Clear => {
                self.stream.clear();
                self.model.clear();
            }
        }
        same("empty", self.stream.is_empty(), self.model.is_empty())?;
        Ok(true)
    }

    fn compare(&self) -> Result<(), String> {
        let mut read = Vec::new();
        self.stream.read(&mut |kind, payload| read.push((kind, payload.to_vec())));
        same("events", &read, &self.model)
    }
}
