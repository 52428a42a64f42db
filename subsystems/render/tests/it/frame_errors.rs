//! What is wrong with a frame's description: place, reason and remedy.

use core::fmt::Write;

use loligo_render::FrameDescription;

use crate::frame_text::FRAME;
use crate::memory::with_memory;

fn error(text: &str) -> String {
    with_memory(|memory, _| {
        let read: Result<FrameDescription, _> =
            FrameDescription::try_read_in(text.as_bytes(), memory);
        match read {
            Ok(frame) => panic!("`{text}` was read as {frame:?}"),
            Err(error) => error.to_string(),
        }
    })
}

/// Replaces a part of the description, which must be there, and returns the error.
fn with(part: &str, by: &str) -> String {
    assert!(FRAME.contains(part), "`{part}` is in the description");
    error(&FRAME.replacen(part, by, 1))
}

#[test]
fn each_fault_names_place_reason_and_remedy() {
    let errors = [
        error(""),
        error("passes = 3"),
        error("passes = [ \"scene\" ]"),
        error("passes = [ { name = } ]"),
        with("targets =", "target ="),
        with("shadow = { format", "window = { format"),
        with("half =", "hdr ="),
        with("format = \"rgba16f\"", "form = \"rgba16f\""),
        with("\"rgba16f\"", "\"rgb\""),
        with("format = \"rgba16f\"", "scale = 1"),
        with("scale = 0.5", "scale = 9"),
        with("scale = 0.5", "scale = 1 size = [ 1 1 ]"),
        with("[ 2048 2048 ]", "[ 2048 20.5 ]"),
        with("[ 2048 2048 ]", "[ 2048 ]"),
        with("name = \"scene\"", "name = \"shadow\""),
        with("name = \"scene\"", "name = \"\""),
        with("name = \"scene\"", "name = \"sc\\u0065ne\""),
        with("name = \"scene\"", ""),
        with("color = [ \"hdr\" ]", "color = [ \"hrd\" ]"),
        with("color = [ \"hdr\" ]", "color = [ \"hdr\" \"hdr\" ]"),
        with("color = [ \"hdr\" ]", "color = [ \"depth\" ]"),
        with("color = [ \"hdr\" ]", "color = [ \"hdr\" \"half\" ]"),
        with("depth = \"depth\"", "depth = \"hdr\""),
        with("depth = \"depth\"", "depth = \"shadow\""),
        with("depth = \"depth\"", "depth = \"depth\" depth = \"depth\""),
        with("depth = \"shadow\"", ""),
        with("{ depth = 1 }", "{ color = [ 0 0 0 1 ] }"),
        with("{ depth = 1 }", "{ depth = 2 }"),
        with("[ 0.1 0.2 0.4 1 ]", "[ 0.1 0.2 0.4 ]"),
        with("reads = [ \"shadow\" ]", "reads = [ \"half\" ]"),
        with("reads = [ \"shadow\" ]", "reads = [ \"depth\" ]"),
        with("reads = [ \"shadow\" ]", "reads = [ \"window\" ]"),
        with("name = \"glass\"", "name = \"opaque\""),
        with("\"back_to_front\"", "\"sideways\""),
        with("\"back_to_front\"", "7"),
        with("scale = 0.5", "samples = 3"),
        with("hdr = { format = \"rgba16f\" }", "hdr = { format = \"rgba16f\" samples = 4 }"),
        with("[ 2048 2048 ]", "[ 2048 2048 ] samples = 4"),
        with("from = \"sun\"", "from = \"moon\""),
        with("from = \"sun\"", "from = \"sun\" around = \"left\""),
        with("from = \"sun\"", "from = \"sun\" stage = 1"),
        with("from = \"sun\"", "from = \"sun\" reach = [ 0.5 0.5 ]"),
        with("stage = 1", "stage = 1 reach = [ 0 0.5 ]"),
        with("stage = 1", "stage = 1 occlusion = 1"),
        with("from = \"sun\"", "from = \"sun\" occlusion = true"),
        with("from = \"sun\"", "from = \"camera\" around = \"player\""),
        with("from = \"sun\"", "from = \"sun\" color = 1"),
        with("sun = { from = \"sun\" }", "player = { from = \"sun\" }"),
        with("sun = { from", "map = { from"),
        with("stage = 1", "stage = 16"),
        with("stage = 1", "stage = 0.5"),
        with("[ 0.75 0 0.25 0.25 ]", "[ 0.75 0 0.5 0.25 ]"),
        with("[ 0.75 0 0.25 0.25 ]", "[ 0.75 0 0 0.25 ]"),
        with("map = {", "player = { } player = {"),
        with("map = {", "sun = {"),
        with("view = \"sun\"", "view = \"moon\""),
        with("takes = \"all\"", "takes = \"most\""),
        with("takes = \"all\"", "takes = \"picture\""),
        with("takes = \"all\"", "takes = \"all\" material = \"\""),
    ];
    let mut text = String::new();
    errors.iter().for_each(|error| writeln!(text, "{error}").expect("a string takes all"));
    assert_eq!(text, include_str!("frame_errors.txt"));
}

#[test]
fn there_may_be_so_many_and_no_more() {
    let layers = |count: usize| {
        let layers: String =
            (0..count).map(|at| format!("{{ name = \"l{at}\" order = \"by_state\" }}\n")).collect();
        format!("passes = [ {{ name = \"p\" color = [ \"window\" ] layers = [\n{layers}] }} ]")
    };
    with_memory(|memory, _| {
        let text = layers(256);
        let frame: FrameDescription = FrameDescription::try_read_in(text.as_bytes(), memory)
            .expect("as many as there may be");
        assert_eq!(frame.layer("l255").map(|layer| layer.number), Some(255));
    });
    assert_eq!(error(&layers(257)), "258:11: there are more than 256 layers; use fewer");
    let targets: String = (0..64).map(|at| format!("t{at} = {{ format = \"r8\" }}\n")).collect();
    let targets = error(&format!("targets = {{\n{targets}}} passes = []"));
    assert_eq!(targets, "65:1: there are more than 64 targets; use fewer");
    let passes: String =
        (0..65).map(|at| format!("{{ name = \"p{at}\" color = [ \"window\" ] }}\n")).collect();
    let passes = error(&format!("passes = [\n{passes}]"));
    assert_eq!(passes, "66:11: there are more than 64 passes; use fewer");
}
