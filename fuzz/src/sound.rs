//! Sounds and waves: opened or refused, and played as far as they are right.

use std::cell::Cell;

use loligo_allocators::Allocator;
use loligo_containers::{BlobBuilder, BlobBytes, Endian, GrowError, blob_field};
use loligo_ids::{IdString32, IdString64};
use loligo_sound::{
    Chance, Choices, CurveTarget, Mixer, MixerSettings, Parameter, Parameters, Play, SPEED_MAX,
    SoundChildImage, SoundCurveImage, SoundImage, SoundNodeImage, SoundNodeKind, SoundParameters,
    SoundTree, Wave, WaveImage,
};

/// The parameters that are set, with a number and a word.
const NAMES: [&str; 2] = ["far", "material"];

/// Opens a sound, and plays it some times with other parameters.
pub fn tree(bytes: &[u8], memory: &dyn Allocator) {
    let bytes = BlobBytes::try_copy(bytes, memory).expect("an input is short");
    let Ok(tree) = SoundTree::open(&bytes) else { return };
    let mut parameters = Parameters::new(memory);
    let mut sound = SoundParameters::default();
    let (mut choices, mut chance) = (Choices::default(), Chance::new(7));
    for round in 0..6_u8 {
        let [number, word] = NAMES.map(IdString32::new);
        let far = Parameter::number(number, f32::from(round) * 400.0 - 900.0);
        let material = ["wood", "stone"][usize::from(round % 2)];
        let material = Parameter::word(word, IdString32::new(material));
        for parameter in [far, material] {
            parameters.try_set(&mut sound, parameter).expect("two of them");
        }
        let parts = Cell::new(0);
        tree.start(&parameters, &sound, &mut choices, &mut chance, |part| {
            parts.set(parts.get() + 1);
            assert!((part.node as usize) < tree.len(), "{part:?}");
            assert!((part.wave as usize) < tree.waves().len(), "{part:?}");
            assert!(part.delay.is_finite() && part.delay >= 0.0 && part.fade >= 0.0, "{part:?}");
            assert!(parts.get() > 1 || !part.is_next, "the first follows nothing: {part:?}");
            let shape = tree.shape(&part, &parameters, &sound);
            assert!(shape.gain.is_finite() && shape.gain >= 0.0, "{part:?}: {shape:?}");
            assert!((0.0..=SPEED_MAX).contains(&shape.speed), "{part:?}: {shape:?}");
            assert!(!shape.low_pass.is_nan(), "{part:?}: {shape:?}");
        });
        assert!(parts.get() <= tree.len(), "each node at most once");
    }
    parameters.remove(sound);
}

/// Opens a wave, and plays it in several ways.
pub fn wave(bytes: &[u8], memory: &dyn Allocator) {
    let bytes = BlobBytes::try_copy(bytes, memory).expect("an input is short");
    let Ok(wave) = Wave::open_in(&bytes, memory) else { return };
    let frames = wave.frames();
    assert!(frames > 0 && (1..=2).contains(&wave.channels()), "{wave:?}");
    if let Some([begin, end]) = wave.loop_range() {
        assert!(begin < end && end <= frames, "{wave:?}");
    }
    let settings = MixerSettings { voices: 4, ..MixerSettings::default() };
    let mut mixer = Mixer::try_new(&settings, memory).expect("it is small");
    let id = mixer.add_wave(wave).expect("it is the first");
    let first = mixer.play(&Play::new(id).looped()).expect("there is room");
    for (speed, from) in [(0.5, frames - 1), (SPEED_MAX, 0), (0.999, frames / 2)] {
        let play = Play { from, ..Play::new(id).with_speed(speed) };
        mixer.play(&play).expect("there is room");
    }
    let mut out = [[0.0; 2]; 300];
    for frame in [0, frames - 1, u32::MAX] {
        mixer.render(&mut out);
        assert!(out.as_flattened().iter().all(|sample| sample.is_finite()), "{out:?}");
        mixer.seek(first, frame);
    }
    mixer.take_events(|_| {});
}

/// Returns inputs to begin with: the target, a name, and the bytes.
///
/// # Errors
///
/// [`GrowError`] if there is no memory.
pub fn seeds(
    memory: &dyn Allocator,
) -> Result<Vec<(&'static str, &'static str, Vec<u8>)>, GrowError> {
    let samples: Vec<i16> = (0..200).map(|at| (at * 331 % 4001 - 2000) as i16).collect();
    Ok(vec![
        ("sound", "tree", sound_bytes(memory)?),
        ("wave", "mono", wave_bytes(&samples, 1, [0, 0], memory)?),
        ("wave", "stereo_loop", wave_bytes(&samples, 2, [10, 90], memory)?),
    ])
}

fn wave_bytes(
    samples: &[i16],
    channels: u32,
    range: [u32; 2],
    memory: &dyn Allocator,
) -> Result<Vec<u8>, GrowError> {
    let mut builder = BlobBuilder::<WaveImage>::try_new(Endian::NATIVE, memory)?;
    let root = builder.root();
    builder.set(root.at(blob_field!(WaveImage, rate)), 24_000_u32);
    builder.set(root.at(blob_field!(WaveImage, channels)), channels);
    builder.set(root.at(blob_field!(WaveImage, range)), range);
    builder.numbers(root.at(blob_field!(WaveImage, samples)), samples)?;
    Ok(builder.finish().to_vec())
}

/// Returns a sound with a node of each kind, and a curve for each target.
fn sound_bytes(memory: &dyn Allocator) -> Result<Vec<u8>, GrowError> {
    use SoundNodeKind::{Layers, Random, Sequence, Shuffle, Switch, Wave};
    // The kind of each node and its children, which are in this order in the list of all.
    let nodes: [(SoundNodeKind, &[u32]); 12] = [
        (Layers, &[1, 2, 3]),
        (Random, &[4, 5]),
        (Sequence, &[6, 7]),
        (Switch, &[8, 9]),
        (Wave, &[]),
        (Wave, &[]),
        (Shuffle, &[10, 11]),
        (Wave, &[]),
        (Wave, &[]),
        (Wave, &[]),
        (Wave, &[]),
        (Wave, &[]),
    ];
    let mut builder = BlobBuilder::<SoundImage>::try_new(Endian::NATIVE, memory)?;
    let root = builder.root();
    builder.set(root.at(blob_field!(SoundImage, bus)), IdString32::new("effects"));
    builder.set(root.at(blob_field!(SoundImage, distance)), [2.0_f32, 60.0]);
    builder.set(root.at(blob_field!(SoundImage, fade_out)), 0.25_f32);
    let places = builder.array(root.at(blob_field!(SoundImage, nodes)), nodes.len())?;
    let mut first = 0;
    for (at, (place, (kind, children))) in places.iter().zip(nodes).enumerate() {
        let curves = if at == 0 { [0, 3_u32] } else { [0, 0] };
        let children = [first, children.len() as u32];
        first += children[1];
        builder.set(place.at(blob_field!(SoundNodeImage, kind)), kind as u32);
        builder.set(place.at(blob_field!(SoundNodeImage, wave)), at as u32 % 3);
        builder.set(place.at(blob_field!(SoundNodeImage, children)), children);
        builder.set(place.at(blob_field!(SoundNodeImage, curves)), curves);
        builder.set(place.at(blob_field!(SoundNodeImage, is_looped)), u32::from(at == 7));
        let parameter = IdString32::new("material");
        builder.set(place.at(blob_field!(SoundNodeImage, parameter)), parameter);
        builder.set(place.at(blob_field!(SoundNodeImage, volume)), [-3.0_f32, 1.0]);
        builder.set(place.at(blob_field!(SoundNodeImage, speed)), [0.9_f32, 1.1]);
        builder.set(place.at(blob_field!(SoundNodeImage, delay)), [0.0_f32, 0.5]);
    }
    let list = || nodes.iter().flat_map(|(_, children)| children.iter().copied());
    let places = builder.array(root.at(blob_field!(SoundImage, children)), list().count())?;
    for (place, node) in places.iter().zip(list()) {
        let word = if node == 8 { IdString32::new("wood") } else { IdString32::from_hash(0) };
        builder.set(place.at(blob_field!(SoundChildImage, node)), node);
        builder.set(place.at(blob_field!(SoundChildImage, weight)), 1.0_f32);
        builder.set(place.at(blob_field!(SoundChildImage, word)), word);
    }
    let targets = [CurveTarget::Volume, CurveTarget::Speed, CurveTarget::LowPass];
    let places = builder.array(root.at(blob_field!(SoundImage, curves)), targets.len())?;
    for ((place, target), at) in places.iter().zip(targets).zip(0_u32..) {
        builder.set(place.at(blob_field!(SoundCurveImage, parameter)), IdString32::new("far"));
        builder.set(place.at(blob_field!(SoundCurveImage, target)), target as u32);
        builder.set(place.at(blob_field!(SoundCurveImage, points)), [2 * at, 2]);
    }
    let points = [[0.0_f32, 0.0], [9.0, -20.0], [0.0, 1.0], [9.0, 0.5], [0.0, 2e4], [9.0, 900.0]];
    builder.numbers(root.at(blob_field!(SoundImage, points)), &points)?;
    let waves = ["a", "b", "c"].map(IdString64::new);
    builder.numbers(root.at(blob_field!(SoundImage, waves)), &waves)?;
    let bytes = builder.finish();
    assert!(SoundTree::open(&bytes).is_ok(), "the seed is right");
    Ok(bytes.to_vec())
}
