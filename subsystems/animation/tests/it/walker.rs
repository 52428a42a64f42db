//! The person of the sample: the bytes of its seed, and feet that do not slide.

use std::path::PathBuf;

use glam::Vec3;

use crate::body::{BONES, Body, LEGS};
use crate::file::GltfText;
use crate::{gait, mesh, picture};

fn models() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples/30-parade/models")
}

#[test]
fn a_seed_has_the_bytes_of_the_sample() {
    let body = Body::new(1);
    let skin = mesh::of(&body);
    assert!((300..=600).contains(&skin.vertices.len()), "{} vertices", skin.vertices.len());
    let mut file = GltfText::new(&body);
    file.add_skin(&body, &skin);
    gait::all(&body).iter().for_each(|animation| file.add_animation(animation));
    if std::env::var_os("LOLIGO_WRITE").is_some() {
        std::fs::write(models().join("walker.gltf"), file.text()).expect("it may be written");
    }
    let kept = std::fs::read_to_string(models().join("walker.gltf")).expect("the sample has it");
    assert!(file.text() == kept, "`cargo run -p loligo-animation --example walker` writes it");
    for (name, shirt, trousers) in picture::CLOTHES {
        let kept = std::fs::read(models().join(format!("{name}.png"))).expect("it is there");
        assert!(picture::png(shirt, trousers) == kept, "{name}");
    }
}

#[test]
fn soles_on_the_ground_stay_where_they_are() {
    let body = Body::new(1);
    for animation in gait::all(&body).iter().filter(|of| of.name.starts_with("walk")) {
        for leg in LEGS {
            // Where the ball of the foot is in the world.
            let ball = |frame: usize| {
                let mut chain = vec![leg + 3];
                while let Some(parent) = BONES[chain[chain.len() - 1]].1 {
                    chain.push(parent);
                }
                chain.iter().fold(Vec3::ZERO, |at, bone| {
                    let (place, turn) = animation.frames[frame][*bone];
                    place + turn * at
                })
            };
            let balls: Vec<Vec3> = (0..animation.frames.len()).map(ball).collect();
            let mut still = 0;
            for pair in balls.windows(2) {
                // On the ground it does not move, but for some millimetres where the foot rolls over it.
                if pair.iter().all(|ball| ball.y < 0.021) {
                    assert!(pair[0].distance(pair[1]) < 0.005, "{} {pair:?}", animation.name);
                    still += 1;
                }
            }
            assert!(still >= 10, "{}: {still} frames on the ground", animation.name);
        }
    }
}
