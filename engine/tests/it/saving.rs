//! Games that are saved and loaded: in a new engine they go on as the one that was saved does.

use loligo_allocators::PageAllocator;
use loligo_engine::{Engine, EngineOptions, with_engine};
use loligo_ids::id32;

use crate::socket;
use crate::support::Game;

/// Spawns, moves and destroys by chance; what it knows it keeps.
const SCRIPT: &str = "
local state = { made = {}, count = 0, names = { 'a', 'b\\0\\n', '' }, on = true }
local function chance(count)
    state.count = (state.count * 1103515245 + 12345) % 2147483648
    return math.floor(state.count / 65536) % count
end
function on_save() return state end
function on_load(saved) state = saved print('loaded', #state.made, #state.names[2], state.on) end
function spawned(count) state.heard = (state.heard or 0) + count end
function removed(entity, count) state.heard = state.heard - count end
function update(step)
    for i = 1, 3 do
        local what = chance(6)
        local made = state.made
        if what < 3 then
            made[#made + 1] = Entity.spawn('post', Vector3(chance(20), 0, chance(20)))
        elseif #made > 0 then
            local at = chance(#made) + 1
            local entity = made[at]
            if what == 3 then
                Entity.destroy(entity)
                table.remove(made, at)
            elseif what == 4 then
                Transform.set_xyz(entity, chance(9), Game.time(), 0)
                Tag.add(entity, 'hot')
            else
                Data.set_number(entity, 'heat', chance(100))
                Model.set_visible(entity, chance(2) == 0)
                Model.set_color(entity, Vector3(chance(9), 1, 0.5))
                Model.set_number(entity, 1 + chance(4), chance(5))
            end
        end
    end
    if Game.frame() % 97 == 50 then Level.restart() state.made = {} end
end
function start() state.starts = (state.starts or 0) + 1 end
";

fn game(script: &str) -> Game {
    let game = Game::new(2);
    game.write(
        "post.entity",
        "components = { transform = {} model = { mesh = \"box\" material = \"stone\" } tag = [ \"post\" ] parameters = { numbers = [ 1 2 3 4 ] } }
        children = { lamp = { components = { transform = { position = [ 0 2 0 ] } light = {} } } }",
    );
    game.start_with(script);
    game
}

fn frame(engine: &mut Engine<'_, '_>) -> Vec<(&'static str, u64)> {
    engine.frame(&mut ()).expect("a frame");
    engine.state_hashes().collect()
}

/// Runs some frames, saves, and runs on: returns what was saved, and the hashes after that.
fn saved(options: &EngineOptions<'_>, frames: usize, more: usize) -> (Vec<u8>, Vec<Hashes>) {
    with_engine(options, |engine| {
        for _ in 0..frames {
            frame(engine);
        }
        let bytes = engine.save().expect("there is memory").to_vec();
        (bytes, (0..more).map(|_| frame(engine)).collect())
    })
    .expect("it boots")
}

type Hashes = Vec<(&'static str, u64)>;

#[test]
fn a_loaded_game_goes_on_as_the_saved_one_does() {
    let game = game(SCRIPT);
    let data = game.data();
    let options = game.options(&data);
    // The last is saved while another level is asked for.
    for (frames, more) in [(1, 50), (37, 600), (90, 50), (51, 60)] {
        let (bytes, went_on) = saved(&options, frames, more);
        let loaded: Vec<Hashes> = with_engine(&options, |engine| {
            engine.load(&bytes).expect("it was saved");
            (0..more).map(|_| frame(engine)).collect()
        })
        .expect("it boots");
        let at = went_on.iter().zip(&loaded).position(|(old, new)| old != new);
        assert_eq!(
            at,
            None,
            "saved after {frames} frames: {:?}",
            at.map(|at| (&went_on[at], &loaded[at]))
        );
    }
    let log = game.log.all();
    assert!(
        log.iter().any(|line| line.contains("loaded\t") && line.ends_with("\t3\ttrue")),
        "{log:#?}"
    );
    assert_eq!(game.log.errors(), [""; 0]);
}

#[test]
fn a_game_is_loaded_into_one_that_runs_and_is_drawn() {
    let game = game(SCRIPT);
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        for _ in 0..20 {
            frame(engine);
        }
        let bytes = engine.save().expect("there is memory");
        let then: Vec<Hashes> = (0..30).map(|_| frame(engine)).collect();
        engine.finish().expect("it is drawn");
        let drawn = engine.drawn();
        engine.load(&bytes).expect("it was saved");
        let again: Vec<Hashes> = (0..30).map(|_| frame(engine)).collect();
        assert_eq!(again, then, "the same frames once more");
        engine.finish().expect("it is drawn");
        assert_eq!(engine.drawn().seen, drawn.seen, "as much is seen");
    })
    .expect("it boots");
}

#[test]
fn each_byte_that_is_another_is_found_and_nothing_has_changed() {
    let game = game(SCRIPT);
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        for _ in 0..8 {
            frame(engine);
        }
        let bytes = engine.save().expect("there is memory").to_vec();
        let before: Hashes = engine.state_hashes().collect();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            let error = engine.load(&damaged).expect_err("a bit is wrong").to_string();
            assert!(error.starts_with("the saved game is not whole: "), "byte {at}: {error}");
        }
        for end in (0..bytes.len()).step_by(7) {
            engine.load(&bytes[..end]).expect_err("it was cut off");
        }
        assert_eq!(engine.state_hashes().collect::<Vec<_>>(), before, "as it was");
        engine.load(&bytes).expect("it is whole");
    })
    .expect("it boots");
}

#[test]
fn the_contexts_of_the_input_are_as_they_were() {
    let game = game(
        "function on_load() end
        function update() if Game.frame() == 2 then Input.set_context('menu', true) end end",
    );
    game.write(
        "game.input",
        "contexts = { menu = { active = false actions = { back = \"Escape\" } } }",
    );
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    let menu = id32!("menu");
    let (bytes, _) = saved(&game.options(&data), 4, 1);
    with_engine(&game.options(&data), |engine| {
        let is_active = |engine: &Engine<'_, '_>| {
            engine.world().input().expect("it is there").is_context_active(menu)
        };
        assert_eq!(is_active(engine), Some(false));
        engine.load(&bytes).expect("it was saved");
        assert_eq!(is_active(engine), Some(true));
    })
    .expect("it boots");
}

#[test]
fn what_scripts_cannot_keep_is_named() {
    let game = game(
        "function on_save() return { hero = { call = function() end } } end
        function update() end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frame(engine);
        let error = engine.save().expect_err("a function cannot be kept");
        assert!(error.to_string().contains("the log says why"), "{error}");
    })
    .expect("it boots");
    let log = game.log.all();
    let said = "on_save: the state.hero.call is a function, which cannot be kept";
    assert!(log.iter().any(|line| line.contains(said)), "{log:#?}");
}

#[test]
fn a_subsystem_of_a_game_is_saved_and_a_damaged_state_leaves_all_as_it_was() {
    let game = socket::game("function on_load() end");
    let data = game.data();
    let options = EngineOptions { subsystems: &[socket::ROW], ..game.options(&data) };
    let (bytes, went_on) = saved(&options, 15, 40);
    let loaded: Vec<Hashes> = with_engine(&options, |engine| {
        engine.load(&bytes).expect("it was saved");
        (0..40).map(|_| frame(engine)).collect()
    })
    .expect("it boots");
    assert!(went_on == loaded, "it goes on");
    // An engine without it.
    with_engine(&game.options(&data), |_| panic!("the level has balloons"))
        .expect_err("no manager");
    // Its state is cut, and the file is right otherwise.
    with_engine(&options, |engine| {
        let before: Hashes = engine.state_hashes().collect();
        let error = engine.load(&without_state(&bytes)).expect_err("a state is missing");
        assert!(error.to_string().contains("the balloons are torn"), "{error}");
        assert_eq!(engine.state_hashes().collect::<Vec<_>>(), before, "as it was");
    })
    .expect("it boots");
}

/// Empties the section of the balloons, and makes the file whole again.
fn without_state(bytes: &[u8]) -> Vec<u8> {
    let name = loligo_ids::IdString32::new("balloons").hash();
    let number = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four"));
    let long = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight"));
    let (mut out, mut at) = (bytes[..32].to_vec(), 32);
    while at < bytes.len() {
        let length = long(at + 8) as usize;
        let next = at + 16 + length.next_multiple_of(8);
        if number(at) == name {
            out.extend_from_slice(&bytes[at..at + 8]);
            out.extend_from_slice(&[0; 8]);
        } else {
            out.extend_from_slice(&bytes[at..next]);
        }
        at = next;
    }
    let length = out.len() as u64;
    out[16..24].copy_from_slice(&length.to_ne_bytes());
    let sum = loligo_ids::murmur2_64a(&out[32..], 1);
    out[24..32].copy_from_slice(&sum.to_ne_bytes());
    out
}

#[test]
fn no_memory_is_left_of_a_game_that_was_loaded() {
    let game = game(SCRIPT);
    let data = game.data();
    let (bytes, _) = saved(&game.options(&data), 10, 1);
    let pages = PageAllocator::new("test pages");
    let heap =
        loligo_allocators::Locked::new(loligo_allocators::HeapAllocator::new_in("game", &pages));
    let options = EngineOptions { memory: Some(&heap), ..game.options(&data) };
    with_engine(&options, |engine| {
        for _ in 0..3 {
            engine.load(&bytes).expect("it was saved");
            frame(engine);
        }
    })
    .expect("it boots");
    assert_eq!(loligo_allocators::Allocator::stats(&heap).live, 0, "nothing is left");
}
