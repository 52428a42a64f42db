//! A full pool of rlsf does not serve the size of the block that was just freed.

use core::alloc::Layout;
use core::mem::MaybeUninit;

use rlsf::Tlsf;

pub(super) fn main() {
    let mut region = vec![MaybeUninit::<u8>::uninit(); 1 << 20];
    let mut tlsf: Tlsf<'_, u32, u32, 28, 32> = Tlsf::new();
    tlsf.insert_free_block(&mut region);
    let layout = Layout::new::<[u128; 1024]>();
    let blocks: Vec<_> = core::iter::from_fn(|| tlsf.allocate(layout)).collect();
    // SAFETY: the block is live and of this alignment.
    unsafe { tlsf.deallocate(blocks[blocks.len() / 2], layout.align()) };
    assert!(tlsf.allocate(layout).is_some(), "a block as great as the freed one is refused");
}
