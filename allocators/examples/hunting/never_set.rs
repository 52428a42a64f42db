//! A field is never set, and has whatever value the memory had before.

use loligo_allocators::{
    AllocError, Allocator, FillAllocator, FillPattern, HeapAllocator, PageAllocator,
};

use crate::raw;

/// Makes a switch and says which team may use it. The bug: it sets the field 0 and forgets the
/// field 5.
fn team_of_new_switch(memory: &dyn Allocator) -> Result<u32, AllocError> {
    let switch = raw::take(memory, 24)?;
    raw::put(switch, 0, 1);
    let team = raw::get(switch, 5);
    raw::free(memory, switch);
    Ok(team)
}

/// In the first level the memory is fresh and zero, which is luck; in the second it is not.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let first = team_of_new_switch(&heap)?;
    let lamp = raw::take(&heap, 24)?;
    raw::put(lamp, 5, 7);
    raw::free(&heap, lamp);
    let second = team_of_new_switch(&heap)?;
    Ok(format!("the first level's switch is for team {first}, the second's for team {second}"))
}

/// The same call with two patterns: a result that follows the pattern was read before it was
/// written.
pub(crate) fn hunted() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let mut teams = [0; 2];
    for (team, pattern) in teams.iter_mut().zip([FillPattern::Zeros, FillPattern::Known]) {
        let filled = FillAllocator::new("level", &heap).with_fresh(pattern);
        *team = team_of_new_switch(&filled)?;
    }
    let [zeros, known] = teams;
    let verdict = if zeros == known { "nothing follows the pattern" } else { "a field is not set" };
    Ok(format!(
        "filled with zeros it is for team {zeros}, with 0x12345678 for {known:#x}: {verdict}"
    ))
}
