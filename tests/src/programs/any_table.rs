//! Programs on anybody's id table, compared with a list.

use core::fmt;

use crate::conformance::{IdTable, Token};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on anybody's id table. Objects are numbered as they come; `which` is taken
    /// modulo the number of ids that were given out so far.
    AnyTableOp of 64 by run_any_table {
        /// Inserts an object.
        0..=27 => Insert,
        /// Removes one.
        28..=45 => Remove { which: u16 },
        /// Looks one up and changes it.
        46..=57 => Change { which: u16 },
        /// Compares all.
        58..=62 => Check,
        /// Removes all.
        63..=63 => Clear,
    }
}

/// Runs a program on a table and on a list, so that what
/// [`conformance::id_table`](crate::conformance::id_table()) found can be run again. `generations`
/// says whether an id is refused after its slot was used again.
///
/// # Errors
///
/// [`Differs`] as soon as the two do.
pub fn run_any_table<I: Copy + Eq + fmt::Debug>(
    program: &[AnyTableOp],
    generations: bool,
    table: &mut dyn IdTable<Id = I>,
) -> Result<(), Differs> {
    run_beside(program, &mut Both { table, generations, known: Vec::new(), next: 0 }).map(drop)
}

/// A table and every id that it gave out, with the number of its object while that is there.
struct Both<'a, I> {
    table: &'a mut dyn IdTable<Id = I>,
    generations: bool,
    known: Vec<(I, Option<u32>)>,
    next: u32,
}

impl<I: Copy + Eq + fmt::Debug> Beside for Both<'_, I> {
    type Op = AnyTableOp;

    fn step(&mut self, op: AnyTableOp) -> Result<bool, String> {
        let served = match op {
            AnyTableOp::Insert => self.insert()?,
            AnyTableOp::Remove { which } => self.remove(which).map(|()| true)?,
            AnyTableOp::Change { which } => self.change(which).map(|()| true)?,
            AnyTableOp::Check => self.compare().map(|()| true)?,
            AnyTableOp::Clear => {
                self.table.clear();
                self.known.iter_mut().for_each(|(_, number)| *number = None);
                true
            }
        };
        same("length", self.table.len(), self.live().count())?;
        Ok(served)
    }

    fn compare(&self) -> Result<(), String> {
        for &(id, number) in &self.known {
            let found = self.table.get(id).map(Token::number);
            same(&format!("object of {id:?}"), found, number)?;
            same(&format!("{id:?} is there"), self.table.contains(id), number.is_some())?;
        }
        let mut visited = Vec::new();
        self.table.visit(&mut |id, token| visited.push((id, token.number())));
        same("objects visited", visited.len(), self.live().count())?;
        for (id, number) in self.live() {
            let times = visited.iter().filter(|&&found| found == (id, number)).count();
            same(&format!("visits of {id:?}, object {number}"), times, 1)?;
        }
        Ok(())
    }
}

impl<I: Copy + Eq + fmt::Debug> Both<'_, I> {
    fn live(&self) -> impl Iterator<Item = (I, u32)> + '_ {
        self.known.iter().filter_map(|&(id, number)| Some((id, number?)))
    }

    fn insert(&mut self) -> Result<bool, String> {
        let number = self.next;
        self.next += 1;
        let Some(id) = self.table.insert(Token::new(number)) else { return Ok(false) };
        let before = self.known.iter().position(|&(known, _)| known == id);
        if let Some(before) = before {
            let (_, object) = self.known[before];
            same(&format!("object of {id:?}, given out again"), object, None)?;
            if self.generations {
                return Err(format!("{id:?} was given out before"));
            }
            // Without generations an id is its slot, and names what is there now.
            self.known.swap_remove(before);
        }
        self.known.push((id, Some(number)));
        Ok(true)
    }

    /// The id that `which` means, and its place among those known.
    fn pick(&self, which: u16) -> Option<(usize, I, Option<u32>)> {
        let place = usize::from(which) % self.known.len().max(1);
        self.known.get(place).map(|&(id, number)| (place, id, number))
    }

    fn remove(&mut self, which: u16) -> Result<(), String> {
        let Some((place, id, number)) = self.pick(which) else { return Ok(()) };
        let removed = self.table.remove(id);
        self.known[place].1 = None;
        same(&format!("object removed by {id:?}"), removed.map(|token| token.number()), number)
    }

    fn change(&mut self, which: u16) -> Result<(), String> {
        let Some((place, id, number)) = self.pick(which) else { return Ok(()) };
        let found = self.table.get_mut(id);
        same(&format!("object of {id:?}"), found.as_ref().map(|token| token.number()), number)?;
        if let Some(token) = found {
            token.set_number(self.next);
            self.known[place].1 = Some(self.next);
            self.next += 1;
        }
        Ok(())
    }
}
