//! What is plainer than an operation.

use std::collections::BTreeMap;

use crate::programs::{AllocatorOp, ModelOp, Step};

use super::Plainer;

/// Returns numbers below `number`: zero, then ever nearer ones, so that a bound is found in O(log²)
/// runs.
fn lesser(number: u64) -> impl Iterator<Item = u64> {
    core::iter::successors(Some(number), |&gap| (gap > 1).then_some(gap / 2))
        .filter(|&gap| gap > 0)
        .map(move |gap| number - gap)
}

impl<O: ModelOp> Plainer for O {
    fn plainer(&self) -> Vec<Self> {
        let step = self.step();
        let counts = lesser(step.count.into()).map(|n| Step { count: n as u8, ..step });
        let which = lesser(step.which.into()).map(|n| Step { which: n as u16, ..step });
        let at = lesser(step.at.into()).map(|n| Step { at: n as u16, ..step });
        counts.chain(which).chain(at).map(Self::of).collect()
    }
}

impl Plainer for AllocatorOp {
    fn plainer(&self) -> Vec<Self> {
        let mut all: Vec<Self> = match *self {
            Self::AllocateZeroed { slot, size, align } => {
                vec![Self::Allocate { slot, size, align }]
            }
            Self::FreeSized { slot, .. } => vec![Self::Free { slot }],
            Self::Reallocate { slot, size, share, .. } => vec![Self::Resize { slot, size, share }],
            _ => Vec::new(),
        };
        if let Some(size) = self.size() {
            all.extend(lesser(size as u64).map(|size| self.with_size(size as usize)));
        }
        if let Some(align) = self.align() {
            let shifts = lesser(align.trailing_zeros().into());
            all.extend(shifts.map(|shift| self.with_align(1 << shift)));
        }
        if let Some(share) = self.share() {
            all.extend(lesser(share.into()).map(|share| self.with_share(share as u8)));
        }
        all
    }

    /// Slots by the order of their first use, and by which is free: the latter only if every
    /// allocation is served.
    fn renamed(program: &[Self]) -> Vec<Vec<Self>> {
        let reused = rename(program, true);
        let ordered = rename(program, false);
        [reused, ordered].into_iter().filter(|renamed| renamed != program).collect()
    }
}

fn rename(program: &[AllocatorOp], reuses: bool) -> Vec<AllocatorOp> {
    let mut names: BTreeMap<u32, u32> = BTreeMap::new();
    let mut next = 0;
    program
        .iter()
        .map(|op| {
            let Some(slot) = op.slot() else { return *op };
            let free = (0..).find(|name| !names.values().any(|used| used == name)).unwrap_or(next);
            let name = *names.entry(slot).or_insert_with(|| {
                next += 1;
                if reuses { free } else { next - 1 }
            });
            let is_free = matches!(op, AllocatorOp::Free { .. } | AllocatorOp::FreeSized { .. });
            if is_free && reuses {
                names.remove(&slot);
            }
            op.with_slot(name)
        })
        .collect()
}
