//! Motion capture as BVH files have it: a hierarchy of offsets and channels, and a line for each frame.
//!
//! The example `sizes` includes this file.

use core::fmt::Debug;
use core::str::SplitWhitespace;

use glam::{Quat, Vec3};
use loligo_animation::compile::{RawClip, RawSkeleton};
use loligo_entities::Pose;

/// Reads a file whose lengths are in units of `metres`, and takes each `stride`-th frame. Ends of limbs
/// are no bones.
pub(crate) fn read_bvh(text: &str, metres: f32, stride: usize) -> (RawSkeleton, RawClip) {
    let mut reader = Reader {
        words: text.split_whitespace(),
        metres,
        skeleton: RawSkeleton::default(),
        channels: Vec::new(),
    };
    reader.expect("HIERARCHY");
    reader.hierarchy();
    reader.expect("Frames:");
    let frames: usize = reader.number();
    reader.expect("Frame");
    reader.expect("Time:");
    let seconds: f32 = reader.number();
    let mut samples = Vec::new();
    for frame in 0..frames {
        let poses = reader.frame();
        if frame % stride == 0 {
            samples.extend(poses);
        }
    }
    let rate = 1.0 / seconds / stride as f32;
    // Files have the time of a frame with few digits.
    let rate = if (rate - rate.round()).abs() < 0.1 { rate.round() } else { rate };
    (reader.skeleton, RawClip { rate, samples, ..RawClip::default() })
}

struct Reader<'t> {
    words: SplitWhitespace<'t>,
    metres: f32,
    skeleton: RawSkeleton,
    /// The channels of each bone: what they are, `X` to `Z`, and whether they are a position's.
    channels: Vec<Vec<(char, bool)>>,
}

impl<'t> Reader<'t> {
    fn word(&mut self) -> &'t str {
        self.words.next().expect("the file goes on")
    }

    fn expect(&mut self, wanted: &str) {
        let word = self.word();
        assert_eq!(word, wanted, "what comes in the file");
    }

    fn number<T: core::str::FromStr<Err: Debug>>(&mut self) -> T {
        self.word().parse().expect("a number")
    }

    fn offset(&mut self) -> Vec3 {
        self.expect("OFFSET");
        let numbers = [(); 3].map(|()| self.number::<f32>());
        Vec3::from_array(numbers) * self.metres
    }

    fn hierarchy(&mut self) {
        let mut above: Vec<usize> = Vec::new();
        loop {
            match self.word() {
                "ROOT" | "JOINT" => {
                    let name = self.word();
                    self.expect("{");
                    let bind = Pose::at(self.offset());
                    let bone = self.skeleton.add(name, above.last().copied(), bind);
                    above.push(bone);
                    self.expect("CHANNELS");
                    let count: usize = self.number();
                    let channels = (0..count).map(|_| {
                        let name = self.word();
                        (name.chars().next().expect("a letter"), name.ends_with("position"))
                    });
                    let channels = channels.collect();
                    self.channels.push(channels);
                }
                "End" => {
                    self.expect("Site");
                    self.expect("{");
                    self.offset();
                    self.expect("}");
                }
                "}" => drop(above.pop()),
                "MOTION" => return,
                other => panic!("`{other}` in a hierarchy"),
            }
        }
    }

    fn frame(&mut self) -> Vec<Pose> {
        let mut poses = self.skeleton.bind.clone();
        for (bone, pose) in poses.iter_mut().enumerate() {
            for (axis, is_position) in self.channels[bone].clone() {
                let value: f64 = self.number();
                let at = "XYZ".find(axis).expect("an axis");
                if is_position {
                    pose.position[at] = value as f32 * self.metres;
                } else {
                    let turn = Quat::from_axis_angle(Vec3::AXES[at], value.to_radians() as f32);
                    pose.rotation *= turn;
                }
            }
            pose.rotation = pose.rotation.normalize();
        }
        poses
    }
}
