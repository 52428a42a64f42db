//! Bringing the active keys of a dense clip to a frame.
//!
//! A player has the last four keys of all tracks. With a difference the next key follows from the last
//! two, and the key before them from the first two. The difference that a step backwards needs is two
//! before the newest one, so the places where the last three begin are kept.

use super::active_group::ActiveGroup;
use super::clip_table::TrackGroup;
use super::weights::key_weights;
use crate::clip::{ALL_ZERO, BLOCK, Clip, Cursor, StateBits, code_at, read_backward, read_forward};
use crate::lanes::LANES;

/// The frames whose differences take as long to read as a jump frame.
const STATE_FRAMES: u32 = 2;

/// How many frames a cursor is past the one before its frame: the keys that were taken until then, the one
/// before the first frame not counted.
pub(super) const AHEAD: u32 = 3;

/// Brings the active keys to those of a frame: from the one before it to the second after it.
pub(super) fn seek(
    clip: &Clip<'_>,
    groups: &[TrackGroup],
    active: &mut [ActiveGroup],
    cursor: &mut Cursor,
    frame: f32,
) {
    let interval = interval_of(clip, frame);
    let wanted = interval + AHEAD;
    let least = leap(clip, groups, active, cursor, wanted);
    let mut walk = DenseWalk { clip, groups, axes: 3 * clip.tracks.len() };
    while cursor.frame < wanted.max(least) {
        walk.advance(active, cursor);
    }
    while cursor.frame > wanted {
        walk.retreat(active, cursor);
    }
}

/// Returns the interval between two keys that a frame is in.
pub(super) fn interval_of(clip: &Clip<'_>, frame: f32) -> u32 {
    (frame as u32).min(clip.last_frame.saturating_sub(1))
}

/// Returns how much each of the four keys counts at a frame.
pub(super) fn weights(clip: &Clip<'_>, frame: f32) -> [f32; 4] {
    let last = clip.last_frame.saturating_sub(1);
    let interval = interval_of(clip, frame);
    // At the ends no key is before or after.
    let [before, after] =
        [interval > 0, interval < last].map(|is_there| f32::from(u8::from(is_there)));
    key_weights(frame - interval as f32, before, 1.0, after)
}

/// Takes the keys of a jump frame where it is nearer to what is wanted than the cursor is, and where the
/// cursor is before all. Returns how far is to be read before anything is read backwards.
fn leap(
    clip: &Clip<'_>,
    groups: &[TrackGroup],
    active: &mut [ActiveGroup],
    cursor: &mut Cursor,
    wanted: u32,
) -> u32 {
    // At least two differences after a jump frame are read, so that those before are known; but for
    // the first one, before which there is nothing.
    let after = clip.jumps.partition_point(|[first, ..]| first + 4 <= wanted).max(1);
    let Some([first, ..]) = clip.jumps.get(after - 1) else { return 0 };
    let from_earlier = wanted.saturating_sub(first + 2) + STATE_FRAMES;
    let later = clip.jumps.get(after).filter(|[first, ..]| first + 4 <= clip.last_frame + 2);
    // Two are read forwards, and again backwards on the way to what is wanted.
    let from_later = later.map(|[first, ..]| first + 4 - wanted + 2 + STATE_FRAMES);
    let is_later = from_later.is_some_and(|frames| frames < from_earlier);
    let nearest = from_later.map_or(from_earlier, |frames| frames.min(from_earlier));
    if cursor.frame != 0 && cursor.frame.abs_diff(wanted) <= nearest {
        return 0;
    }
    let after = after + usize::from(is_later);
    let Some([first, _, _, _, value]) = clip.jumps.get(after - 1).copied() else { return 0 };
    *cursor = Cursor { frame: first + 2, round: 0, mask: value, step: value, value };
    let bytes = clip.jump_states.len() / clip.jumps.len();
    let state = &clip.jump_states[(after - 1) * bytes..after * bytes];
    let (mut track, mut at) = (0, 0);
    for (group, active) in groups.iter().zip(active) {
        *active = ActiveGroup::EMPTY;
        for lane in group.lanes() {
            let bits = StateBits::new(clip.states[track]);
            active.set_two(lane, bits.read(state, at));
            track += 1;
            at += bits.sum();
        }
    }
    if is_later { first + 4 } else { 0 }
}

/// What a step through a dense clip needs.
struct DenseWalk<'w, 'b> {
    clip: &'w Clip<'b>,
    groups: &'w [TrackGroup],
    /// The numbers of a frame.
    axes: usize,
}

impl DenseWalk<'_, '_> {
    /// Takes the next key of all tracks. After the last one it is taken once more, as the last interval
    /// has no key after it.
    fn advance(&mut self, active: &mut [ActiveGroup], cursor: &mut Cursor) {
        let mut at = cursor.value;
        if cursor.frame > self.clip.last_frame {
            active.iter_mut().for_each(ActiveGroup::repeat_newest);
        } else {
            let mut code = self.codes_of(cursor.frame);
            for (group, active) in self.groups.iter().zip(active) {
                let mut differences = [[0; LANES]; 3];
                for lane in group.lanes() {
                    for row in &mut differences {
                        let lower = code_at(self.clip.codes, code);
                        code += 1;
                        if lower != ALL_ZERO {
                            let (number, bits) = read_forward(self.clip.values, at, lower);
                            row[lane] = number as u16;
                            at += bits;
                        }
                    }
                }
                active.extrapolate(&differences);
            }
        }
        (cursor.mask, cursor.step, cursor.value) = (cursor.step, cursor.value, at);
        cursor.frame += 1;
    }

    /// Undoes [`advance`](Self::advance).
    fn retreat(&mut self, active: &mut [ActiveGroup], cursor: &mut Cursor) {
        cursor.frame -= 1;
        let mut at = cursor.mask;
        // The key that comes back is the fourth before the newest one, and its difference is two later.
        match cursor.frame.checked_sub(2) {
            Some(later @ 2..) => {
                let mut code = self.codes_of(later) + self.axes;
                for (group, active) in self.groups.iter().zip(active).rev() {
                    let mut differences = [[0; LANES]; 3];
                    for lane in group.lanes().rev() {
                        for row in differences.iter_mut().rev() {
                            code -= 1;
                            let lower = code_at(self.clip.codes, code);
                            if lower != ALL_ZERO {
                                let (number, bits) = read_backward(self.clip.values, at, lower);
                                row[lane] = number as u16;
                                at = at.saturating_sub(bits);
                            }
                        }
                    }
                    active.extrapolate_back(&differences);
                }
            }
            // Before the first frame there is none.
            _ => active.iter_mut().for_each(ActiveGroup::repeat_oldest),
        }
        (cursor.value, cursor.step, cursor.mask) = (cursor.step, cursor.mask, at);
    }

    /// Returns where the codes of a frame begin.
    fn codes_of(&self, frame: u32) -> usize {
        (frame / BLOCK) as usize * self.axes
    }
}
