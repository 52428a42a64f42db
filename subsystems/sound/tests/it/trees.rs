//! Sounds as trees: what is played of them, what parameters change, and what is damaged.

use std::collections::BTreeMap;

use loligo_allocators::Allocator;
use loligo_containers::{BlobBuilder, BlobBytes, Endian, blob_field};
use loligo_ids::{IdString32, IdString64};
use loligo_sound::{
    Chance, Choices, CurveTarget, Parameter, Parameters, Part, SoundChildImage, SoundCurveImage,
    SoundImage, SoundNodeImage, SoundNodeKind, SoundParameters, SoundTree,
};
use proptest::prelude::*;

use crate::memory::with_memory;

/// A node of a sound that a test makes.
#[derive(Clone, Debug)]
struct Draft {
    kind: SoundNodeKind,
    wave: u32,
    children: Vec<(u32, f32, &'static str)>,
    curves: Vec<(&'static str, CurveTarget, Vec<[f32; 2]>)>,
    parameter: &'static str,
    delay: [f32; 2],
}

impl Draft {
    fn new(kind: SoundNodeKind) -> Self {
        Self {
            kind,
            wave: 0,
            children: Vec::new(),
            curves: Vec::new(),
            parameter: "",
            delay: [0.0; 2],
        }
    }

    fn wave(wave: u32) -> Self {
        Self { wave, ..Self::new(SoundNodeKind::Wave) }
    }

    /// Returns a node with children of weight 1 from `first` on.
    fn of(kind: SoundNodeKind, children: core::ops::Range<u32>) -> Self {
        Self { children: children.map(|node| (node, 1.0, "")).collect(), ..Self::new(kind) }
    }
}

/// Returns the blob of a sound.
fn build<'a>(drafts: &[Draft], memory: &'a dyn Allocator) -> BlobBytes<'a> {
    let mut builder = BlobBuilder::<SoundImage>::try_new(Endian::NATIVE, memory).expect("memory");
    let root = builder.root();
    builder.set(root.at(blob_field!(SoundImage, bus)), IdString32::new("effects"));
    builder.set(root.at(blob_field!(SoundImage, distance)), [1.0_f32, 50.0]);
    let nodes = builder.array(root.at(blob_field!(SoundImage, nodes)), drafts.len());
    let (mut children, mut curves) = (Vec::new(), Vec::new());
    for (place, draft) in nodes.expect("memory").iter().zip(drafts) {
        let ranges = [
            [children.len() as u32, draft.children.len() as u32],
            [curves.len() as u32, draft.curves.len() as u32],
        ];
        children.extend(draft.children.iter().copied());
        curves.extend(draft.curves.iter().cloned());
        builder.set(place.at(blob_field!(SoundNodeImage, kind)), draft.kind as u32);
        builder.set(place.at(blob_field!(SoundNodeImage, wave)), draft.wave);
        builder.set(place.at(blob_field!(SoundNodeImage, children)), ranges[0]);
        builder.set(place.at(blob_field!(SoundNodeImage, curves)), ranges[1]);
        let parameter = IdString32::new(draft.parameter);
        builder.set(place.at(blob_field!(SoundNodeImage, parameter)), parameter);
        builder.set(place.at(blob_field!(SoundNodeImage, speed)), [1.0_f32; 2]);
        builder.set(place.at(blob_field!(SoundNodeImage, delay)), draft.delay);
    }
    let places = builder.array(root.at(blob_field!(SoundImage, children)), children.len());
    for (place, (node, weight, word)) in places.expect("memory").iter().zip(children) {
        let word = if word.is_empty() { IdString32::from_hash(0) } else { IdString32::new(word) };
        builder.set(place.at(blob_field!(SoundChildImage, node)), node);
        builder.set(place.at(blob_field!(SoundChildImage, weight)), weight);
        builder.set(place.at(blob_field!(SoundChildImage, word)), word);
    }
    let mut points = Vec::new();
    let places = builder.array(root.at(blob_field!(SoundImage, curves)), curves.len());
    for (place, (parameter, target, own)) in places.expect("memory").iter().zip(curves) {
        let range = [points.len() as u32, own.len() as u32];
        points.extend(own);
        let parameter = IdString32::new(parameter);
        builder.set(place.at(blob_field!(SoundCurveImage, parameter)), parameter);
        builder.set(place.at(blob_field!(SoundCurveImage, target)), target as u32);
        builder.set(place.at(blob_field!(SoundCurveImage, points)), range);
    }
    builder.numbers(root.at(blob_field!(SoundImage, points)), &points).expect("memory");
    let waves = ["a", "b", "c", "d"].map(IdString64::new);
    builder.numbers(root.at(blob_field!(SoundImage, waves)), &waves).expect("memory");
    builder.finish()
}

/// What a sound comes to when it is played a number of times.
fn plays(
    drafts: &[Draft],
    times: usize,
    set: impl Fn(&mut Parameters<'_>, &mut SoundParameters),
) -> Vec<Vec<Part>> {
    with_memory(|memory| {
        let blob = build(drafts, memory);
        let tree = SoundTree::open(&blob).expect("it is right");
        let mut parameters = Parameters::new(memory);
        let mut sound = SoundParameters::default();
        set(&mut parameters, &mut sound);
        let (mut choices, mut chance) = (Choices::default(), Chance::new(7));
        let mut all = Vec::new();
        for _ in 0..times {
            let mut parts = Vec::new();
            tree.start(&parameters, &sound, &mut choices, &mut chance, |part| parts.push(part));
            all.push(parts);
        }
        all
    })
}

fn waves(parts: &[Part]) -> Vec<(u32, bool)> {
    parts.iter().map(|part| (part.wave, part.is_next)).collect()
}

#[test]
fn layers_play_together_and_sequences_one_after_the_other() {
    use SoundNodeKind::{Layers, Sequence};
    let drafts = [
        Draft::of(Layers, 1..3),
        Draft { delay: [0.5; 2], ..Draft::of(Sequence, 3..6) },
        Draft { delay: [0.25; 2], ..Draft::wave(3) },
        Draft::wave(0),
        Draft::wave(1),
        Draft::wave(2),
    ];
    let parts = plays(&drafts, 1, |_, _| {}).remove(0);
    assert_eq!(waves(&parts), [(0, false), (1, true), (2, true), (3, false)]);
    let delays: Vec<f32> = parts.iter().map(|part| part.delay).collect();
    assert_eq!(delays, [0.5, 0.0, 0.0, 0.25], "what follows waits for nothing else");
}

#[test]
fn random_children_do_not_repeat_and_follow_their_weights() {
    let mut root = Draft::of(SoundNodeKind::Random, 1..4);
    root.children[2].1 = 3.0;
    let drafts = [root, Draft::wave(0), Draft::wave(1), Draft::wave(2)];
    let chosen: Vec<u32> =
        plays(&drafts, 3000, |_, _| {}).iter().map(|parts| parts[0].wave).collect();
    assert!(chosen.windows(2).all(|two| two[0] != two[1]), "never twice in turn");
    // From 0 or 1 it is 2 in three of four cases, from 2 it is one of the others: 2 is 3/7 of all.
    let heavy = chosen.iter().filter(|wave| **wave == 2).count();
    assert!((heavy as f64 / 3000.0 - 3.0 / 7.0).abs() < 0.03, "{heavy} of 3000");
}

#[test]
fn shuffled_children_come_once_in_each_round() {
    let drafts = [
        Draft::of(SoundNodeKind::Shuffle, 1..5),
        Draft::wave(0),
        Draft::wave(1),
        Draft::wave(2),
        Draft::wave(3),
    ];
    let chosen: Vec<u32> =
        plays(&drafts, 400, |_, _| {}).iter().map(|parts| parts[0].wave).collect();
    let mut orders = BTreeMap::new();
    for round in chosen.chunks(4) {
        let mut sorted = round.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3], "each once");
        *orders.entry(round.to_vec()).or_insert(0) += 1;
    }
    assert!(orders.len() > 12, "{} orders of 24", orders.len());
    assert!(chosen.windows(2).all(|two| two[0] != two[1]), "nor twice over the end of a round");
}

#[test]
fn a_switch_follows_its_parameter() {
    let mut root = Draft::of(SoundNodeKind::Switch, 1..4);
    root.parameter = "material";
    root.children[0].2 = "wood";
    root.children[1].2 = "stone";
    let drafts = [root, Draft::wave(0), Draft::wave(1), Draft::wave(2)];
    for (word, expected) in [("wood", 0), ("stone", 1), ("snow", 2), ("", 2)] {
        let parts = plays(&drafts, 1, |parameters, sound| {
            if !word.is_empty() {
                let material = IdString32::new("material");
                let parameter = Parameter::word(material, IdString32::new(word));
                parameters.try_set(sound, parameter).expect("there is memory");
            }
        });
        assert_eq!(waves(&parts[0]), [(expected, false)], "on `{word}`");
    }
}

#[test]
fn curves_follow_their_parameters_on_all_levels() {
    let mut root = Draft::of(SoundNodeKind::Layers, 1..2);
    root.curves.push(("far", CurveTarget::Volume, vec![[0.0, 0.0], [10.0, -20.0]]));
    root.curves.push(("far", CurveTarget::LowPass, vec![[0.0, 20_000.0], [10.0, 1000.0]]));
    let mut wave = Draft::wave(0);
    wave.curves.push(("speed", CurveTarget::Speed, vec![[1.0, 0.5], [3.0, 1.5]]));
    with_memory(|memory| {
        let blob = build(&[root, wave], memory);
        let tree = SoundTree::open(&blob).expect("it is right");
        let mut parameters = Parameters::new(memory);
        let mut sound = SoundParameters::default();
        let mut found = None;
        let (mut choices, mut chance) = (Choices::default(), Chance::new(7));
        tree.start(&parameters, &sound, &mut choices, &mut chance, |part| found = Some(part));
        let part = found.expect("it has a wave");
        let mut at = |far: f32, speed: f32| {
            for (name, value) in [("far", far), ("speed", speed)] {
                let parameter = Parameter::number(IdString32::new(name), value);
                parameters.try_set(&mut sound, parameter).expect("there is memory");
            }
            tree.shape(&part, &parameters, &sound)
        };
        let near = at(-1.0, 2.0);
        assert_eq!((near.gain, near.speed, near.low_pass), (1.0, 1.0, 20_000.0));
        let far = at(10.0, 9.0);
        assert!((far.gain - 0.1).abs() < 1e-6, "20 decibels less: {}", far.gain);
        assert_eq!((far.speed, far.low_pass), (1.5, 1000.0));
        assert_eq!(at(5.0, f32::NAN).speed, 0.5, "what is no number is as if it were not set");
    });
}

#[test]
fn many_loud_nodes_are_as_loud_as_a_sound_may_be() {
    // Each in the one before: a hundred times 900 decibels, and as many times a thousand times the speed.
    let drafts: Vec<Draft> = (0..100)
        .map(|at| Draft {
            curves: vec![
                ("a", CurveTarget::Volume, vec![[0.0, 900.0]]),
                ("a", CurveTarget::Speed, vec![[0.0, 1000.0]]),
            ],
            ..if at < 99 {
                Draft::of(SoundNodeKind::Layers, at + 1..at + 2)
            } else {
                Draft::wave(0)
            }
        })
        .collect();
    with_memory(|memory| {
        let blob = build(&drafts, memory);
        let tree = SoundTree::open(&blob).expect("it is right");
        let (parameters, sound) = (Parameters::new(memory), SoundParameters::default());
        let (mut choices, mut chance) = (Choices::default(), Chance::new(7));
        tree.start(&parameters, &sound, &mut choices, &mut chance, |part| {
            let shape = tree.shape(&part, &parameters, &sound);
            assert_eq!(shape.gain, loligo_sound::gain_of(48.0));
            assert_eq!(shape.speed, loligo_sound::SPEED_MAX);
        });
    });
}

#[test]
fn wrong_trees_are_refused() {
    use SoundNodeKind::{Layers, Random, Sequence};
    let wave = || Draft::wave(0);
    let child = |node, weight| Draft { children: vec![(node, weight, "")], ..Draft::new(Layers) };
    let curve =
        |points| Draft { curves: vec![("a", CurveTarget::Volume, points)], ..Draft::wave(0) };
    for (drafts, expected) in [
        (vec![], "`nodes` must be 1 to 256"),
        (vec![Draft::new(Layers)], "waves without children, or others with some"),
        (vec![child(0, 1.0)], "after their node, with a weight, and of no other"),
        (vec![child(1, 0.0), wave()], "after their node, with a weight, and of no other"),
        (vec![child(1, f32::NAN), wave()], "after their node, with a weight, and of no other"),
        (vec![child(2, 1.0), wave(), wave()], "those of one node each, but for the first"),
        (vec![Draft::of(Layers, 1..4), wave()], "after their node"),
        (vec![Draft::wave(4)], "with a wave of the list"),
        (
            vec![
                Draft::of(Sequence, 1..2),
                Draft::of(Random, 2..3),
                Draft::of(Layers, 3..4),
                wave(),
            ],
            "of sequences waves or choices of waves",
        ),
        (vec![curve(vec![])], "with 1 to 64 points that ascend"),
        (vec![curve(vec![[1.0, 0.0], [1.0, 2.0]])], "with 1 to 64 points that ascend"),
        (vec![curve(vec![[0.0, f32::INFINITY]])], "with 1 to 64 points that ascend"),
        // A byte of a file may make this of a volume: its gain would be infinite.
        (vec![curve(vec![[0.0, 1e30]])], "up to a million"),
        (
            vec![Draft { delay: [2.0, 1.0], ..wave() }],
            "with volume, speed, delay and fade within their ranges",
        ),
    ] {
        with_memory(|memory| {
            let blob = build(&drafts, memory);
            let error = SoundTree::open(&blob).expect_err("it is wrong").to_string();
            assert!(error.starts_with("no compiled sound: "), "{error}");
            assert!(error.contains(expected), "{error}\nnot: {expected}\n{drafts:?}");
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bytes_are_refused_or_harmless(
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        seed in any::<u64>(),
    ) {
        with_memory(|memory| {
            let mut root = Draft::of(SoundNodeKind::Layers, 1..3);
            root.curves.push(("far", CurveTarget::Volume, vec![[0.0, 0.0], [10.0, -20.0]]));
            let drafts = [
                root,
                Draft::of(SoundNodeKind::Random, 3..5),
                Draft::of(SoundNodeKind::Sequence, 5..7),
                Draft::wave(0),
                Draft::wave(1),
                Draft::wave(2),
                Draft::wave(3),
            ];
            let mut bytes = build(&drafts, memory).to_vec();
            for (place, byte) in places {
                let at = place.index(bytes.len());
                bytes[at] = byte;
            }
            let blob = BlobBytes::try_copy(&bytes, memory).expect("there is memory");
            let Ok(tree) = SoundTree::open(&blob) else { return };
            let (parameters, sound) = (Parameters::new(memory), SoundParameters::default());
            let (mut choices, mut chance) = (Choices::default(), Chance::new(seed));
            let mut count = 0;
            tree.start(&parameters, &sound, &mut choices, &mut chance, |part| {
                let shape = tree.shape(&part, &parameters, &sound);
                assert!(shape.gain.is_finite() && shape.speed.is_finite(), "{shape:?}");
                assert!((part.wave as usize) < tree.waves().len(), "{part:?}");
                count += 1;
            });
            assert!(count <= tree.len(), "{count} parts");
        });
    }
}
