//! Draws that are merged and sorted, and spheres that are culled.

use core::hint::black_box;

use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec3, Vec4, Vec4Swizzles};
use loligo_containers::Array;
use loligo_render::{Draw, Frustum, ItemSorter, LayerKeys, Order, RenderContext, Spheres};
use rdst::{RadixKey, RadixSort};
use voracious_radix_sort::{RadixSort as _, Radixable};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::random::Random;

/// The draws of a frame.
pub(crate) const DRAWS: usize = 100_000;

/// The contexts that they are in.
const CONTEXTS: usize = 8;

/// Which keys are sorted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keys {
    /// As a frame has them.
    Scene,
    /// Of all bits.
    Random,
}

impl Keys {
    fn made(self) -> Vec<u64> {
        let mut random = Random::new(7);
        let layers = [
            LayerKeys::new(0, Order::ByState),
            LayerKeys::new(1, Order::FrontToBack),
            LayerKeys::new(2, Order::BackToFront),
            LayerKeys::new(3, Order::ByState),
        ];
        let mut key = || match self {
            Self::Scene => {
                let depth = 0.1 + random.below(1_000_000) as f32 * 0.000_5;
                let layer = layers[random.below(4) as usize];
                layer.key(random.below(200), 36 * random.below(500), depth)
            }
            Self::Random => {
                u64::from(random.below(u32::MAX)) << 32 | u64::from(random.below(u32::MAX))
            }
        };
        (0..DRAWS).map(|_| key()).collect()
    }
}

/// Merged and sorted by us.
pub(crate) fn merged_by_us(keys: Keys) -> Contender {
    let keys = keys.made();
    let contexts: Vec<RenderContext<'static, Heap>> = keys
        .chunks(DRAWS.div_ceil(CONTEXTS))
        .map(|keys| {
            let mut context = RenderContext::new_in(&HEAP);
            for key in keys {
                context.try_draw(*key, Draw::default()).expect("there is memory");
            }
            context
        })
        .collect();
    let mut sorter = ItemSorter::new_in(&HEAP);
    Contender::new("ItemSorter", move || {
        let ns = clock::time(|| {
            let sorted = sorter.try_merge(black_box(&contexts)).expect("there is memory");
            black_box(sorted);
        });
        assert!(sorter.items().is_sorted_by_key(|item| item.key()), "it is sorted");
        Pass { ns, operations: DRAWS as u64 }
    })
}

/// A key and a place, of the size of ours.
#[derive(Clone, Copy, Debug)]
struct Placed {
    key: u64,
    place: u64,
}

impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl PartialOrd for Placed {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        self.key.partial_cmp(&other.key)
    }
}

impl Radixable<u64> for Placed {
    type Key = u64;

    fn key(&self) -> u64 {
        self.key
    }
}

impl RadixKey for Placed {
    const LEVELS: usize = 8;

    fn get_level(&self, level: usize) -> u8 {
        (self.key >> (level * 8)) as u8
    }
}

/// The peers in sorting.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Peer {
    Std,
    Voracious,
    Rdst,
}

impl Peer {
    pub(crate) const ALL: [Self; 3] = [Self::Std, Self::Voracious, Self::Rdst];
}

/// Merged into one array and sorted by a peer.
pub(crate) fn merged_by_peer(keys: Keys, peer: Peer) -> Contender {
    let keys = keys.made();
    let contexts: Vec<Vec<Placed>> = keys
        .chunks(DRAWS.div_ceil(CONTEXTS))
        .map(|keys| (0..).zip(keys).map(|(place, key)| Placed { key: *key, place }).collect())
        .collect();
    let name = match peer {
        Peer::Std => "sort_by_key",
        Peer::Voracious => "voracious_radix_sort",
        Peer::Rdst => "rdst",
    };
    let mut all: Vec<Placed> = Vec::with_capacity(DRAWS);
    Contender::new(name, move || {
        let ns = clock::time(|| {
            all.clear();
            black_box(&contexts).iter().for_each(|context| all.extend_from_slice(context));
            match peer {
                Peer::Std => all.sort_by_key(|placed| placed.key),
                Peer::Voracious => all.voracious_stable_sort(),
                Peer::Rdst => all.radix_sort_builder().with_single_threaded_tuner().sort(),
            }
            black_box(&all);
        });
        let places = all.iter().map(|placed| placed.place).sum::<u64>();
        assert!(places > 0 && all.is_sorted_by_key(|placed| placed.key), "it is sorted");
        Pass { ns, operations: DRAWS as u64 }
    })
}

/// A sphere in a struct.
#[derive(Clone, Copy, Debug)]
struct Sphere {
    center: Vec3,
    radius: f32,
}

fn spheres() -> Vec<Sphere> {
    let mut random = Random::new(11);
    let mut part = || random.below(4_000) as f32 * 0.1 - 200.0;
    (0..DRAWS).map(|_| Sphere { center: Vec3::new(part(), part(), part()), radius: 1.5 }).collect()
}

fn camera() -> Mat4 {
    let view = look_at_mat4(Vec3::new(0.0, 20.0, 100.0), Vec3::ZERO, Vec3::Y);
    perspective(1.0, 1.6, 0.5, 300.0) * view
}

/// Spheres in columns.
pub(crate) fn our_culling() -> Contender {
    let spheres = spheres();
    let column = |part: fn(&Sphere) -> f32| spheres.iter().map(part).collect::<Vec<f32>>();
    let [x, y, z] = [column(|s| s.center.x), column(|s| s.center.y), column(|s| s.center.z)];
    let radius = column(|s| s.radius);
    let frustum = Frustum::new(camera());
    let expected = spheres.iter().filter(|s| frustum.sees(s.center, s.radius)).count();
    let mut visible: Array<'static, u32, Heap> = Array::new_in(&HEAP);
    Contender::new("Frustum", move || {
        visible.clear();
        let ns = clock::time(|| {
            let spheres = Spheres { x: &x, y: &y, z: &z, radius: &radius };
            let culled = black_box(&frustum).try_cull(&spheres, 0..DRAWS, &mut visible);
            culled.expect("there is memory");
            black_box(&visible);
        });
        assert_eq!(visible.len(), expected, "as one by one");
        Pass { ns, operations: DRAWS as u64 }
    })
}

/// Spheres in structs, a plane after the other until one is in front of it.
pub(crate) fn one_by_one() -> Contender {
    let spheres = spheres();
    let camera = camera();
    let [x, y, z, w] = [0, 1, 2, 3].map(|row| camera.row(row));
    let planes: [Vec4; 6] =
        [w + x, w - x, w + y, w - y, z, w - z].map(|plane: Vec4| plane / plane.xyz().length());
    let mut visible: Vec<u32> = Vec::with_capacity(DRAWS);
    Contender::new("glam, one by one", move || {
        visible.clear();
        let ns = clock::time(|| {
            for (number, sphere) in (0..).zip(black_box(&spheres)) {
                let at = sphere.center.extend(1.0);
                if planes.iter().all(|plane| plane.dot(at) + sphere.radius >= 0.0) {
                    visible.push(number);
                }
            }
            black_box(&visible);
        });
        assert!(!visible.is_empty(), "some are seen");
        Pass { ns, operations: DRAWS as u64 }
    })
}
