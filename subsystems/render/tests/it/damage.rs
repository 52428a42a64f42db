//! Streams that are damaged: refused with the place and the reason, and the world is as it was.

use loligo_containers::EventStream;
use loligo_ids::id32;
use loligo_render::{
    Light, Mesh, RenderHandle, RenderWorld, StateErrorKind, StateRecorder, Transform,
};
use proptest::prelude::*;

use crate::drawn::check;
use crate::memory::with_memory;
use crate::reflection::{Both, LIMIT, Step, steps};

/// The whole observable state of a world as text.
fn told(world: &RenderWorld<'_>) -> String {
    let meshes: Vec<_> = (0..world.mesh_count())
        .map(|row| {
            let handle = world.mesh_at(row).expect("it has one");
            (handle, world.mesh(handle))
        })
        .collect();
    format!("{world:?} {meshes:?} {:?} {:?}", world.lights(), world.spheres())
}

#[test]
fn damaged_bytes_are_refused_whole_or_leave_a_whole_world() {
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4);
    check(&(steps(), damage, any::<prop::sample::Index>()), |(steps, damage, end)| {
        with_memory(|memory, _| {
            let mut both = Both::new(memory);
            let (before, last) = steps.split_at(steps.len() / 2);
            for step in before {
                both.step(*step)?;
            }
            for step in last.iter().filter(|step| !matches!(step, Step::Apply | Step::Finish)) {
                both.step(*step)?;
            }
            let stream = both.recorder.finish();
            let mut bytes = stream.as_bytes().to_vec();
            if bytes.is_empty() {
                return Ok(());
            }
            damage.iter().for_each(|(at, by)| bytes[at.index(stream.as_bytes().len())] ^= by);
            if damage.len() == 1 {
                bytes.truncate(end.index(bytes.len()));
            }
            let was = told(&both.world);
            if let Err(error) = both.world.try_apply_bytes(&bytes) {
                prop_assert!(error.offset <= bytes.len() as u64, "{error}");
                prop_assert_eq!(told(&both.world), was, "{}", error);
            }
            prop_assert_eq!(both.world.validate(), Ok(()));
            Ok(())
        })
    });
}

/// Makes a stream of messages by type and payload, and returns the error.
fn refused(world: &mut RenderWorld<'_>, messages: &[(u32, Vec<u8>)]) -> String {
    let pages = loligo_allocators::PageAllocator::new("pages");
    let mut stream: EventStream<_> = EventStream::new_in(&pages);
    for (kind, payload) in messages {
        stream.try_push_bytes(*kind, payload).expect("there is memory");
    }
    world.try_apply_bytes(stream.as_bytes()).expect_err("it is wrong").to_string()
}

#[test]
fn each_fault_has_its_words() {
    with_memory(|memory, _| {
        let mut recorder: StateRecorder = StateRecorder::new_in(1, LIMIT, memory);
        let mut world: RenderWorld = RenderWorld::new_in(1, LIMIT, memory);
        let lamp = recorder.create_light(&Light::default()).expect("there is room");
        let stream = recorder.finish();
        world.try_apply(&stream).expect("it is whole");
        let again = world.try_apply(&stream).expect_err("it was applied");
        assert_eq!(again.kind, StateErrorKind::Sequence { number: 0, next: 1 });
        let other =
            RenderWorld::new_in(2, LIMIT, memory).try_apply(&stream).expect_err("another's");
        assert_eq!(other.kind, StateErrorKind::World { is_for: 1, world: 2 });

        let lamp = lamp.to_bits();
        let ghost = RenderHandle::from_bits(5 | 1 << 20).expect("a generation").to_bits();
        let of = |handle: u32, what: &[u8]| [&handle.to_ne_bytes()[..], what].concat();
        let on_stage =
            |stage: u32| [bytemuck::bytes_of(&Light::default()), &stage.to_ne_bytes()].concat();
        let light = of(lamp, &on_stage(0));
        let place = bytemuck::bytes_of(&Transform::IDENTITY);
        let hidden = bytemuck::bytes_of(&Mesh { flags: 9, ..Mesh::default() }).to_vec();
        let set_light = id32!("set_light").hash();
        let good = (set_light, light.clone());
        let wrong = [
            (7, vec![]),
            (set_light, light[1..].to_vec()),
            (id32!("create_mesh").hash(), of(ghost, &hidden)),
            (set_light, of(lamp, &on_stage(16))),
            (id32!("destroy").hash(), of(5, &[])),
            (id32!("destroy").hash(), of(LIMIT | 1 << 20, &[])),
            (id32!("destroy").hash(), of(ghost, &[])),
            (id32!("set_transform").hash(), of(ghost, place)),
            (id32!("set_transform").hash(), of(lamp, place)),
            (id32!("create_light").hash(), light),
        ];
        let was = told(&world);
        let errors: String =
            wrong.map(|wrong| refused(&mut world, &[good.clone(), wrong]) + "\n").concat();
        assert_eq!(errors, include_str!("damage.txt"));
        let cut = &stream.as_bytes()[..9];
        let cut = world.try_apply_bytes(cut).expect_err("it is cut").to_string();
        assert_eq!(
            cut,
            "the message at byte 0 is damaged (Payload { size: 40, left: 1 }); apply what a recorder wrote, whole"
        );
        assert_eq!(told(&world), was, "nothing has changed");
    });
}
