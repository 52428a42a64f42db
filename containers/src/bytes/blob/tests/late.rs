//! Older blobs that claim values of a struct which their version does not have.

use core::alloc::Layout;
use std::string::ToString;

use crate::bytes::blob::bytes::BlobBytes;
use crate::bytes::blob::check::{BlobChecker, BlobRefused, BlobShapes};
use crate::bytes::blob::header::{HEADER, write_shape};
use crate::bytes::blob::{Blob, BlobArray, BlobType, Endian};
use crate::testing::test_memory::with_memory;

/// A struct of which version 1 has no field.
#[repr(C)]
struct Late(u32);

// SAFETY: a number of 4 bytes.
unsafe impl BlobType for Late {
    const NAME: &'static str = "Late";
    const PLAIN: bool = true;

    fn check(_: &mut BlobChecker<'_>, _: usize) -> Result<(), BlobRefused> {
        Ok(())
    }

    fn shapes(shapes: &mut BlobShapes) {
        shapes.has(2);
        shapes.add::<Self>("Late");
    }

    fn layout(version: u32) -> Layout {
        if version < 2 { Layout::new::<()>() } else { Layout::new::<Self>() }
    }
}

#[test]
fn values_that_take_no_bytes_are_refused_before_there_is_room_for_them() {
    type Root = [BlobArray<Late>; 1];
    with_memory(|memory| {
        let mut bytes = BlobBytes::new(memory);
        bytes.extend(HEADER + size_of::<Root>(), 1).expect("there is memory");
        bytes.as_mut()[HEADER..HEADER + 4].copy_from_slice(&8_u32.to_ne_bytes());
        bytes.as_mut()[HEADER + 4..].copy_from_slice(&u32::MAX.to_ne_bytes());
        // Of one array the shape is that of its elements.
        let older = BlobShapes::of_version::<Root>(1).hash();
        assert_ne!(older, BlobShapes::of::<Root>().hash(), "the versions differ");
        write_shape(bytes.as_mut(), Endian::NATIVE, older);
        let requests = memory.requests();
        let refused = Blob::<Root>::try_upgrade_in(&bytes, memory).map(drop);
        let said = refused.expect_err("there are none").to_string();
        assert!(said.contains("BlobArray"), "the field is named: {said}");
        assert_eq!(memory.requests() - requests, 1, "the header and the root alone");
    });
}
