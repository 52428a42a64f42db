//! What the types themselves promise: which can be sent, which shared, which used as `dyn`.

use loligo_allocators::{
    AllocError, Allocator, Block, BuddyAllocator, Damage, DefaultClasses, FrameAllocator,
    HeapAllocator, Locked, PageAllocator, PoolAllocator, ProxyAllocator, SharedRef, SlabAllocator,
    StaticHeap, Stats,
};

/// Shows at compile time whether a type is `Sync`: for one that is, the first `ANSWER` is not
/// ambiguous to the compiler, since the inherent constant wins over the trait's.
struct IsSync<T: ?Sized>(core::marker::PhantomData<T>);

trait NotSync {
    const ANSWER: bool = false;
}

impl<T: ?Sized> NotSync for T {}

impl<T: ?Sized + Sync> IsSync<T> {
    const ANSWER: bool = true;
}

const fn is_send<T: Send>() {}

const fn is_allocator<T: Allocator>() {}

#[test]
fn each_may_be_sent_where_its_backing_may_be_shared() {
    const {
        is_send::<PageAllocator>();
        is_send::<StaticHeap<4096>>();
        is_send::<HeapAllocator<'static, PageAllocator>>();
        is_send::<SlabAllocator<'static, PageAllocator, DefaultClasses>>();
        is_send::<BuddyAllocator<'static, PageAllocator>>();
        is_send::<PoolAllocator<'static, PageAllocator>>();
        is_send::<FrameAllocator<'static, PageAllocator>>();
        is_send::<ProxyAllocator<'static, PageAllocator>>();
        is_send::<HeapAllocator<'static, dyn Allocator + Sync>>();
        is_send::<SharedRef<'static>>();
        is_send::<Stats>();
        is_send::<AllocError>();
    }
}

#[test]
fn only_what_locks_may_be_shared() {
    const {
        assert!(IsSync::<PageAllocator>::ANSWER);
        assert!(IsSync::<StaticHeap<4096>>::ANSWER);
        assert!(IsSync::<Locked<HeapAllocator<'static, PageAllocator>>>::ANSWER);
        assert!(!IsSync::<HeapAllocator<'static, PageAllocator>>::ANSWER);
        assert!(!IsSync::<SlabAllocator<'static, PageAllocator, DefaultClasses>>::ANSWER);
        assert!(!IsSync::<BuddyAllocator<'static, PageAllocator>>::ANSWER);
        assert!(!IsSync::<PoolAllocator<'static, PageAllocator>>::ANSWER);
        assert!(!IsSync::<FrameAllocator<'static, PageAllocator>>::ANSWER);
        assert!(!IsSync::<ProxyAllocator<'static, PageAllocator>>::ANSWER);
    }
}

#[test]
fn references_are_allocators() {
    const {
        is_allocator::<&dyn Allocator>();
        is_allocator::<SharedRef<'static>>();
        is_allocator::<&&PageAllocator>();
    }
}

#[test]
fn errors_tell_what_to_do() {
    assert!(AllocError.to_string().contains("no memory left"), "{AllocError}");
    let damage = Damage { what: "a word is wrong", address: core::ptr::null() };
    assert_eq!(damage.to_string(), "a word is wrong at 0x0");
    assert!(size_of::<Block>() <= 24, "a walk copies blocks");
}
