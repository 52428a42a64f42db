//! `loligo animation` from the outside.

use glam::Vec3;
use loligo_animation::compile::{CompressOptions, RawClip, RawSkeleton, compress};
use loligo_containers::Endian;
use loligo_entities::Pose;

use crate::gltf_model::{Model, arm};
use crate::support::Place;

/// Returns a model with an animation for each name, which lifts the shoulder that far.
fn model(names: &[(&str, f32)]) -> Model {
    let mut model = arm();
    for (name, far) in names {
        let times = [0.0, 0.5, 1.0];
        let values = [0.0, 0.0, 1.0, 0.0, *far, 1.0, 0.0, 0.0, 1.0];
        model.animate(name, &[(1, "translation", "LINEAR", &times, &values)]);
    }
    model
}

#[test]
fn figures_of_a_model_are_printed_by_track() {
    let place = Place::new();
    place.file("arm.gltf", model(&[("Lift", 0.3), ("Wave", 0.1)]).text());
    let (code, stdout, stderr) = place.run(&["animation", "stats", "arm.gltf"]);
    assert_eq!((code, &*stderr), (0, ""));
    for part in
        ["Lift\n  length            1.00 s, 31 frames, 3 bones\n", "Wave\n", ":1\n", "bytes\n"]
    {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    for part in ["max 0.0", "p99 0.0", "bound 0.01 cm", "  shoulder  position "] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let (_, brief, _) = place.run(&["animation", "stats", "arm.gltf", "--clip", "Wave", "--brief"]);
    assert!(brief.starts_with("Wave\n") && !brief.contains("position"), "{brief}");
    std::fs::create_dir(place.path("models")).expect("a folder");
    place.file("models/arm.gltf", model(&[("Lift", 0.3)]).text());
    place.file("models/notes.txt", "no model");
    let (code, stdout, _) = place.run(&["animation", "stats", "models", "--bound-cm", "0.1"]);
    assert!(code == 0 && stdout.contains("bound 0.1 cm"), "{stdout}");
}

#[test]
fn a_page_about_a_clip_needs_nothing_outside_itself() {
    let place = Place::new();
    let mut model = model(&[("Lift <b>", 0.3)]);
    model.nodes = model.nodes.replace("shoulder", "shoulder <script>alert(1)</script>");
    place.file("arm.gltf", model.text());
    let (code, stdout, stderr) = place.run(&["animation", "report", "arm.gltf", "-o", "page.html"]);
    assert_eq!((code, &*stdout, &*stderr), (0, "", ""));
    let page = std::fs::read_to_string(place.path("page.html")).expect("it is there");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "it is whole");
    for part in ["Error over time", "Bytes by track", "Curves and keys", "Order of the stream"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("Lift &lt;b&gt;") && !page.contains("Lift <b>"), "names are texts");
    assert!(!page.contains("<script>alert"), "names are texts");
    assert!(page.matches("<path class=\"line-heap\"").count() >= 2, "curves");
    assert!(page.matches("<circle").count() > 4, "keys");
    for outside in ["<link", "src=\"", "@import", "url(", "https://", "fetch(", "import("] {
        assert!(!page.contains(outside), "the page has `{outside}`");
    }
}

#[test]
fn compiled_clips_are_shown_with_their_skeleton() {
    let place = Place::new();
    let mut skeleton = RawSkeleton::default();
    skeleton.add("hip", None, Pose::IDENTITY);
    let at = |frame: usize| Pose::at(Vec3::Y * (frame as f32 * 0.2).sin());
    let clip = RawClip { rate: 30.0, samples: (0..30).map(at).collect(), ..RawClip::default() };
    let clip = compress(&skeleton, &clip, &CompressOptions::default()).expect("it is whole");
    place.file("hero.skeleton", skeleton.build(Endian::NATIVE).expect("it is whole"));
    place.file("walk.clip", &clip.bytes);
    let arguments = ["animation", "stats", "walk.clip", "--skeleton", "hero.skeleton"];
    let (code, stdout, stderr) = place.run(&arguments);
    assert_eq!((code, &*stderr), (0, ""));
    let size = format!("{} bytes of 1200,", clip.bytes.len());
    assert!(stdout.contains(&size) && stdout.contains("unknown without the model"), "{stdout}");
    let stderr = place.refused(&["animation", "stats", "walk.clip"]);
    assert!(stderr.contains("walk.clip: it is no model; name a model"), "{stderr}");
    let mut damaged = clip.bytes;
    damaged.truncate(60);
    place.file("walk.clip", &damaged);
    let stderr = place.refused(&arguments);
    assert!(stderr.contains("walk.clip: no compiled clip: "), "{stderr}");
}

#[test]
fn what_cannot_be_shown_is_an_error_with_a_remedy() {
    let place = Place::new();
    let stderr = place.refused(&["animation", "stats", "missing.glb"]);
    assert!(stderr.contains("missing.glb: cannot read") && stderr.contains("; name"), "{stderr}");
    place.file("arm.gltf", model(&[("Lift", 0.3), ("Wave", 0.1)]).text());
    let stderr = place.refused(&["animation", "report", "arm.gltf", "-o", "page.html"]);
    assert!(stderr.contains("name one of Lift, Wave with --clip NAME"), "{stderr}");
    let stderr = place.refused(&["animation", "stats", "arm.gltf", "--clip", "Run"]);
    assert!(stderr.contains("has no animation `Run`; name one of Lift, Wave"), "{stderr}");
    place.file("none.gltf", arm().text());
    let stderr = place.refused(&["animation", "report", "none.gltf", "-o", "page.html"]);
    assert!(stderr.contains("none.gltf: there is no clip in it; name a model"), "{stderr}");
    // A kilometre, to the tenth of a millimetre.
    place.file("far.gltf", model(&[("Far", 1.0e6), ("Near", 0.1)]).text());
    let (code, stdout, stderr) = place.run(&["animation", "stats", "far.gltf"]);
    assert!(code == 1 && stdout.contains("Near\n"), "the other one is shown: {stdout}");
    assert!(stderr.contains("far.gltf: `Far`: the skin at bone"), "{stderr}");
    let (code, help, _) = place.run(&["animation", "report", "--help"]);
    assert!(code == 0 && help.contains("Example:\n  loligo animation report"), "{help}");
}
