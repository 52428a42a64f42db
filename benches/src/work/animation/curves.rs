//! The same clip as curves of `bevy_curve`: a curve of rotations for each bone through all samples, as
//! its importer makes them of glTF.

use core::hint::black_box;

use bevy_curve::{Curve, UnevenSampleAutoCurve};

use glam::Quat;

use super::crowd::later;
use super::{BONES, FRAMES, played};
use crate::clock;
use crate::contender::{Contender, Pass};

/// Returns the time of a bone.
pub(crate) fn their_bones() -> Contender {
    const CHARACTERS: usize = 100;
    const TIMES: u64 = 20;
    let played = played(false);
    let curves: Vec<UnevenSampleAutoCurve<Quat>> = (0..BONES)
        .map(|bone| {
            let samples = (0..FRAMES).map(|frame| {
                let pose = &played.samples.samples[frame * BONES + bone];
                (frame as f32, pose.rotation)
            });
            UnevenSampleAutoCurve::new(samples).expect("its times are in order")
        })
        .collect();
    let mut times: Vec<f32> = (0..CHARACTERS).map(|at| (at * 7 % 200) as f32).collect();
    let mut poses = vec![Quat::IDENTITY; CHARACTERS * BONES];
    Contender::new("bevy_curve", move || {
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                for (time, pose) in times.iter().zip(poses.chunks_exact_mut(BONES)) {
                    for (curve, rotation) in curves.iter().zip(pose) {
                        *rotation = curve.sample_clamped(*time);
                    }
                }
                black_box(&poses);
                times.iter_mut().for_each(|time| *time = later(*time, 0.5));
            }
        });
        Pass { ns, operations: TIMES * (CHARACTERS * BONES) as u64 }
    })
}
