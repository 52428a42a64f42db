//! Programs on anybody's map, compared with the standard library's tree.

use std::collections::BTreeMap;

use crate::conformance::{Map, MapKey, Token};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on anybody's map. Values are numbered as they come; keys are the numbers `at`,
    /// modulo 64.
    AnyMapOp of 64 by run_any_map {
        /// Inserts a value, or exchanges the one that is there.
        0..=27 => Insert { at: u16 },
        /// Removes one.
        28..=45 => Remove { at: u16 },
        /// Looks one up and changes it.
        46..=57 => Change { at: u16 },
        /// Compares all.
        58..=62 => Check,
        /// Removes all.
        63..=63 => Clear,
    }
}

/// How many keys programs use: few, so that they meet.
const KEYS: u16 = 64;

/// Runs a program on a map and on a tree, so that what
/// [`conformance::map`](crate::conformance::map()) found can be run again. `sorted` says whether
/// entries are visited in the order of their keys.
///
/// # Errors
///
/// [`Differs`] as soon as the two do.
pub fn run_any_map(program: &[AnyMapOp], sorted: bool, map: &mut dyn Map) -> Result<(), Differs> {
    run_beside(program, &mut Both { map, sorted, model: BTreeMap::new(), next: 0 }).map(drop)
}

struct Both<'a> {
    map: &'a mut dyn Map,
    sorted: bool,
    model: BTreeMap<u32, u32>,
    next: u32,
}

impl Beside for Both<'_> {
    type Op = AnyMapOp;

    fn step(&mut self, op: AnyMapOp) -> Result<bool, String> {
        let number = self.next;
        self.next += 1;
        match op {
            AnyMapOp::Insert { at } => {
                let key = u32::from(at % KEYS);
                let old = self.map.insert(MapKey::new(key), Token::new(number));
                let old = old.map(|token| token.number());
                same(&format!("value before at {key}"), old, self.model.insert(key, number))?;
            }
            AnyMapOp::Remove { at } => {
                let key = u32::from(at % KEYS);
                let old = self.map.remove(&MapKey::new(key)).map(|token| token.number());
                same(&format!("value removed at {key}"), old, self.model.remove(&key))?;
            }
            AnyMapOp::Change { at } => {
                let key = u32::from(at % KEYS);
                let found = self.map.get_mut(&MapKey::new(key));
                let models = self.model.get_mut(&key);
                let shown = found.as_ref().map(|token| token.number());
                same(&format!("value at {key}"), shown, models.as_deref().copied())?;
                if let (Some(found), Some(models)) = (found, models) {
                    found.set_number(number);
                    *models = number;
                }
            }
            AnyMapOp::Check => self.compare()?,
            AnyMapOp::Clear => {
                self.map.clear();
                self.model.clear();
            }
        }
        same("length", self.map.len(), self.model.len())?;
        Ok(true)
    }

    fn compare(&self) -> Result<(), String> {
        for number in 0..u32::from(KEYS) {
            let found = self.map.get(&MapKey::new(number)).map(Token::number);
            same(&format!("value at {number}"), found, self.model.get(&number).copied())?;
        }
        let mut visited = Vec::new();
        self.map.visit(&mut |key, token| visited.push((key, token.number())));
        if !self.sorted {
            visited.sort_unstable();
        }
        same("entries visited", visited, self.model.clone().into_iter().collect())
    }
}
