//! Tests of games that are saved and loaded, and recorded and played back, by `loligo run`.

use crate::support::Place;

const SCRIPT: &str = "
local state = { frames = 0 }
function on_save() return state end
function on_load(saved) state = saved print('went on after', state.frames, Game.frame()) end
function update()
    state.frames = state.frames + 1
    if state.frames == 3 then Game.save('slot-1') end
    if state.frames == 6 then Game.load('slot-2') end
    if state.frames == 8 and not again then again = true Game.load('slot-1') end
    if state.frames == 2 then print(pcall(Game.save, '../outside')) end
end";

fn game() -> Place {
    let place = Place::new();
    let (code, _, stderr) = place.run(&["new", "game"]);
    assert_eq!(code, 0, "{stderr}");
    place.file("game/scripts/main.lua", SCRIPT);
    place
}

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments =
        vec!["run", "game", "--backend", "text", "--time-step", "each-frame", "--out", "data"];
    arguments.extend_from_slice(more);
    arguments
}

#[test]
fn a_game_saves_and_loads_itself() {
    let place = game();
    let (code, _, stderr) = place.run(&run(&["--frames", "30"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(place.path("data/saves/slot-1.save").exists(), "it was saved: {stderr}");
    assert!(stderr.contains("slot-2.save: cannot read"), "there is none: {stderr}");
    assert!(stderr.contains("went on after\t3\t2"), "the first slot: {stderr}");
    assert!(stderr.contains("is made of a to z, 0 to 9, - and _"), "{stderr}");
    assert_eq!(place.names(), ["data", "game"], "nothing is outside");
}

#[test]
fn a_game_goes_on_from_a_file() {
    let place = game();
    place.file("game/scripts/main.lua", SCRIPT.replace("Game.load('slot-1')", "print('no')"));
    let (code, _, stderr) = place.run(&run(&["--frames", "15", "--save", "round.save"]));
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, stderr) = place.run(&run(&["--frames", "2", "--load", "round.save"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("went on after\t15\t14"), "{stderr}");
    assert!(stdout.starts_with("2 frames of 4 entities\n"), "{stdout}");
    let mut bytes = std::fs::read(place.path("round.save")).expect("it was written");
    bytes[100] ^= 8;
    place.file("damaged.save", bytes);
    let (code, _, stderr) = place.run(&run(&["--frames", "2", "--load", "damaged.save"]));
    assert_eq!(code, 2, "{stderr}");
    let said = "loligo: damaged.save: the saved game is not whole: its checksum is another";
    assert!(stderr.contains(said), "{stderr}");
    let (code, _, stderr) = place.run(&run(&["--load", "missing.save"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("loligo: missing.save: cannot read: "), "{stderr}");
}

#[test]
fn a_replay_that_differs_is_named_and_a_damaged_recording_too() {
    let place = game();
    place.file("game/scripts/main.lua", "function update() end");
    let (code, _, stderr) = place.run(&run(&["--frames", "20", "--record-input", "a.played"]));
    assert_eq!(code, 0, "{stderr}");
    let replay = ["run", "game", "--backend", "text", "--out", "data", "--replay", "a.played"];
    let (code, _, stderr) = place.run(&replay);
    assert_eq!(code, 0, "the same: {stderr}");
    let moved = "function update()
        if Game.frame() == 7 then Transform.set_xyz(Entity.find('hero'), 1, 2, 3) end
    end";
    place.file("game/scripts/main.lua", moved);
    let (code, _, stderr) = place.run(&replay);
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stderr.contains("frame 7 is the first, and `transforms` the first subsystem"),
        "{stderr}"
    );
    let bytes = std::fs::read(place.path("a.played")).expect("it was written");
    place.file("a.played", &bytes[..bytes.len() / 2]);
    let (code, _, stderr) = place.run(&replay);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("the replay ended early: "), "{stderr}");
    place.file("a.played", "no recording");
    let (code, _, stderr) = place.run(&replay);
    assert_eq!(code, 2, "{stderr}");
}
