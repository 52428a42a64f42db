//! State streams from any bytes, one after the other: refused with a place and nothing changed, or
//! applied; the world is whole either way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::limited;
use loligo_render::RenderWorld;

fn told(world: &RenderWorld<'_>) -> (usize, Vec<u8>, Vec<u8>) {
    let transforms = bytemuck::cast_slice(world.transforms()).to_vec();
    (world.mesh_count(), transforms, bytemuck::cast_slice(world.lights()).to_vec())
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&split, bytes)) = bytes.split_first() else { return };
    let (one, two) = bytes.split_at(usize::from(split) * 4 % (bytes.len() + 1));
    limited::within(1 << 22, |memory| {
        let mut world: RenderWorld = RenderWorld::new_in(0, 4_096, memory);
        for stream in [one, two] {
            let was = told(&world);
            if let Err(error) = world.try_apply_bytes(stream) {
                assert!(error.offset <= stream.len() as u64, "{error}");
                assert!(told(&world) == was, "{error}, and yet the world has changed");
            }
            world.validate().expect("the world is whole");
        }
    });
});
