//! Contexts: what is put in comes out.

use loligo_render::{Draw, Geometry, IndirectArgs, Package, RenderContext};

use crate::memory::with_memory;

#[test]
fn packages_come_back_in_order() {
    with_memory(|memory, _| {
        let mut context: RenderContext = RenderContext::new_in(memory);
        let geometry = Geometry { index_count: 36, first_index: 6, base_vertex: -4 };
        let draw = Draw { state: 9, args: IndirectArgs::new(geometry, 3, 2) };
        context.try_draw(5, draw).expect("there is memory");
        for bytes in 0..10 {
            let data: Vec<u8> = (1..=bytes).collect();
            context.try_job(u64::from(bytes), 7, &data).expect("there is memory");
        }
        context.try_draw(1, draw).expect("there is memory");
        context.validate().expect("it is whole");
        let packages: Vec<_> = context.packages().collect();
        assert_eq!(packages.len(), 12);
        assert_eq!(packages[0], (5, Package::Draw(draw)));
        assert_eq!(packages[11], (1, Package::Draw(draw)));
        for (bytes, (key, package)) in packages[1..11].iter().enumerate() {
            let data: Vec<u8> = (1..=bytes as u8).collect();
            assert_eq!(*key, bytes as u64);
            assert!(
                matches!(package, Package::Job(job) if job.kind == 7 && job.data == data),
                "{package:?} of {bytes} bytes"
            );
        }
        context.clear();
        assert!(context.is_empty(), "nothing is left of {}", context.len());
        context.validate().expect("it is whole");
    });
}

#[test]
fn arguments_lie_as_graphics_apis_read_them() {
    let geometry = Geometry { index_count: 1, first_index: 3, base_vertex: 4 };
    let args = IndirectArgs::new(geometry, 5, 2);
    let words: [u32; 5] = bytemuck::cast(args);
    assert_eq!(
        words,
        [1, 2, 3, 4, 5],
        "index_count, instance_count, first_index, base_vertex, first_instance"
    );
}
