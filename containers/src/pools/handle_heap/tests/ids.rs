//! Damage to the table of ids, which is another crate's.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};

use crate::pools::handle_heap::HandleHeap;

/// Nothing but the memory itself leads to the words of the table, so the one of an id is looked for
/// there.
#[test]
fn a_broken_table_of_ids_is_found() {
    let pages = PageAllocator::new("pages");
    let memory = HeapAllocator::new_in("heap", &pages);
    let mut heap = HandleHeap::new_in(&memory);
    let [_, id] = [0; 2].map(|_| heap.allocate(16, 16));
    let in_buffer = heap.bytes(id).expect("it is live").as_ptr().addr();
    let mut found = None;
    memory.walk(&mut |block| {
        let begin = block.address.addr().get();
        // Before the bytes of a block is its id, too.
        if (begin..begin + block.bytes).contains(&in_buffer) {
            return;
        }
        for at in 0..block.bytes / size_of::<u64>() {
            // SAFETY: that many words are in the block.
            let word = unsafe { block.address.cast::<u64>().add(at) };
            // SAFETY: the block lives; its pages were zeroed, so each byte has been written.
            if unsafe { word.read_unaligned() } == id.to_bits() {
                found = Some(word);
            }
        }
    });
    let word = found.expect("the table has the id");
    // SAFETY: the word is in a live block, and there is no reference to it.
    unsafe { word.write_unaligned(0) };
    let said = heap.validate().map_err(|damage| (damage.what, damage.offset));
    // SAFETY: as above.
    unsafe { word.write_unaligned(id.to_bits()) };
    assert_eq!(said, Err(("the table of ids is broken, found", 0)), "the id is not in it");
    assert_eq!((heap.validate(), heap.free(id)), (Ok(()), Ok(())), "it is there again");
}
