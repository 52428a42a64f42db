//! Lights that are chosen, and the grid in which they are found.

use std::vec::Vec;

use glam::camera::rh::proj::directx::{orthographic, perspective};
use loligo_allocators::{FailingAllocator, HeapAllocator, PageAllocator, Refusals};
use proptest::prelude::*;

use super::*;

fn ahead(distance: f32, intensity: f32) -> Light {
    Light { position: [0.0, 0.0, -distance], range: 3.0, color: [1.0; 3], intensity }
}

/// Calls `test` with what is chosen by a camera at the origin, which looks along -z.
fn chosen(lights: &[Light], test: impl FnOnce(&FrameLights<'_>)) {
    let pages = PageAllocator::new("pages");
    let memory = HeapAllocator::new("lights", &pages);
    let camera = perspective(1.0, 1.5, 0.1, 10_000.0);
    let mut chosen: FrameLights<'_> = FrameLights::new(&memory);
    // What was chosen before leaves no trace.
    let mut all = |lights: &[Light]| {
        let view = View::new(Mat4::IDENTITY, camera);
        chosen.try_choose(lights, &view, camera).expect("memory");
    };
    all(&[ahead(1.0, 1.0); 70]);
    all(lights);
    test(&chosen);
    drop(chosen);
    assert_eq!(memory.stats().live, 0);
}

#[test]
fn the_strongest_are_chosen_whatever_their_order() {
    let count = LIGHTS_MAX + 100;
    let mut lights: Vec<Light> = (1..=count).map(|number| ahead(10.0, number as f32)).collect();
    for _ in 0..2 {
        chosen(&lights, |chosen| {
            let mut found: Vec<f32> =
                chosen.as_slice().iter().map(|light| light.intensity).collect();
            found.sort_by(f32::total_cmp);
            let expected: Vec<f32> = (101..=count).map(|number| number as f32).collect();
            assert_eq!(found, expected, "the brightest");
            assert_eq!((chosen.seen(), chosen.left_out()), (count, 100));
        });
        lights.reverse();
    }
}

#[test]
fn the_nearest_comes_first_and_of_equals_the_first() {
    chosen(&[ahead(40.0, 5.0), ahead(4.0, 1.0), ahead(8.0, 5.0)], |chosen| {
        assert_eq!(chosen.as_slice(), [ahead(4.0, 1.0), ahead(8.0, 5.0), ahead(40.0, 5.0)]);
    });
    let named = |number: usize| Light { color: [1.0, 1.0, number as f32 / 1e5], ..ahead(5.0, 1.0) };
    let lights: Vec<Light> = (0..LIGHTS_MAX + 40).map(named).collect();
    chosen(&lights, |chosen| assert_eq!(chosen.as_slice(), &lights[..LIGHTS_MAX]));
}

#[test]
fn what_lights_nothing_that_is_seen_is_not_counted() {
    let nothing = [
        ahead(-50.0, 5.0),
        ahead(10.0, 0.0),
        ahead(10.0, -1.0),
        ahead(10.0, f32::NAN),
        ahead(f32::NAN, 1.0),
        Light { range: 0.0, ..ahead(10.0, 5.0) },
        Light { range: f32::NAN, ..ahead(10.0, 5.0) },
        Light { color: [0.0; 3], ..ahead(10.0, 5.0) },
    ];
    chosen(&nothing, |chosen| {
        assert_eq!((chosen.as_slice().len(), chosen.seen(), chosen.left_out()), (0, 0, 0));
        assert_eq!(chosen.grid().len(), LIGHT_BINS, "no tile has a word");
        assert_eq!(chosen.reaching(Vec4::new(0.0, 0.0, 0.5, 1.0)).count(), 0);
    });
    chosen(&[ahead(-2.0, 5.0)], |chosen| assert_eq!(chosen.seen(), 1, "it reaches in front"));
}

#[test]
fn a_light_is_in_few_tiles_and_bins() {
    // Spheres of a metre, as wide as two fifths of a tile.
    let light = |x: f32, z: f32| Light { position: [x, 3.0, z], range: 1.0, ..ahead(0.0, 1.0) };
    let lights = [light(2.5, -100.0), light(30.0, -100.0), light(20.0, -900.0)];
    chosen(&lights, |chosen| {
        let set: u32 = chosen.grid()[LIGHT_BINS..].iter().map(|word| word.count_ones()).sum();
        assert!((3..=4).contains(&set), "{set} tiles");
        let bins = chosen.grid()[..LIGHT_BINS].iter().filter(|bin| **bin != 0xffff).count();
        assert_eq!(bins, 2, "801 metres are 256 bins");
    });
}

#[test]
fn without_memory_there_are_no_lights() {
    let camera = perspective(1.0, 1.5, 0.1, 100.0);
    let view = View::new(Mat4::IDENTITY, camera);
    let refused = (1..).take_while(|request| {
        let pages = PageAllocator::new("pages");
        let memory = FailingAllocator::new_in("failing", Refusals::From(*request), &pages);
        let mut lights: FrameLights<'_> = FrameLights::new(&memory);
        let result = lights.try_choose(&[ahead(5.0, 1.0); 200], &view, camera);
        let counts = (lights.as_slice().len(), lights.seen());
        assert_eq!(counts, if result.is_err() { (0, 0) } else { (200, 200) });
        result.is_err()
    });
    assert!(refused.count() > 2, "lists of what is found, of lights and of words");
}

fn light() -> impl Strategy<Value = Light> {
    let place = (-40.0..40.0_f32, -40.0..40.0_f32, -40.0..40.0_f32);
    (place, 0.01..30.0_f32).prop_map(|((x, y, z), range)| Light {
        position: [x, y, z],
        range,
        color: [1.0; 3],
        intensity: 1.0,
    })
}

proptest! {
    /// Of every place that is seen, the shader goes through all lights that reach it.
    #[test]
    fn no_light_is_missed(
        lights in prop::collection::vec(light(), 0..150),
        turn in (-3.0..3.0_f32, -1.5..1.5_f32),
        is_parallel in any::<bool>(),
        places in prop::collection::vec((-1.0..1.0_f32, -1.0..1.0_f32, 0.0..1.0_f32), 60),
    ) {
        let projection = match is_parallel {
            true => orthographic(-30.0, 30.0, -20.0, 20.0, 0.5, 120.0),
            false => perspective(1.1, 1.7, 0.3, 120.0),
        };
        let eye = Mat4::from_rotation_y(turn.0) * Mat4::from_rotation_x(turn.1);
        let view = eye.inverse();
        let camera = View::new(view, projection);
        let both = projection * view;
        let pages = PageAllocator::new("pages");
        let memory = HeapAllocator::new("lights", &pages);
        let mut chosen: FrameLights<'_> = FrameLights::new(&memory);
        chosen.try_choose(&lights, &camera, both).expect("memory");
        let depths = chosen.as_slice().iter().map(|light| {
            (both * Vec3::from(light.position).extend(1.0)).w
        });
        prop_assert!(depths.collect::<Vec<_>>().is_sorted(), "the nearest comes first");
        for (x, y, z) in places {
            let world = both.inverse().project_point3(Vec3::new(x, y, z));
            let clip = both * world.extend(1.0);
            let found: Vec<usize> = chosen.reaching(clip).collect();
            for (number, light) in chosen.as_slice().iter().enumerate() {
                // At its border a light has no strength.
                let reaches = world.distance(light.position.into()) < light.range * 0.999 - 1e-4;
                prop_assert!(!reaches || found.contains(&number), "{light:?} reaches {world}");
            }
        }
    }
}
