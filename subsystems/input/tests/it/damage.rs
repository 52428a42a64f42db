//! Mappings from anywhere: spoiled ones are refused or right.

use loligo_containers::{BlobBytes, EventStream};
use loligo_input::{Input, MappingError};
use loligo_platform::{KeyCode, KeyInput, KeySymbol, MouseMotion, PadAxis, PadButton, TextInput};

use crate::memory::{every_refusal, with_memory};
use crate::player::{MAPPING, Player, compiled};

#[test]
fn bytes_of_anything_are_refused() {
    with_memory(|memory| {
        let mut input = Input::new(memory);
        for bytes in [&[][..], &[0; 16], &[0xff; 200]] {
            let bytes = BlobBytes::try_copy(bytes, memory).expect("there is memory");
            let error = input.load(&bytes).expect_err("no mapping");
            assert!(error.to_string().starts_with("no compiled input: "), "{error}");
        }
    });
}

/// Loads spoiled mappings and lets a player press keys.
#[test]
fn what_is_loaded_can_be_played() {
    with_memory(|memory| {
        let whole = compiled(MAPPING, memory);
        let (mut refused, mut parts) = (0, 0);
        for at in 48..whole.len() {
            for value in [0, 1, 0x7f, 0xff, whole[at] ^ 1] {
                let mut spoiled = whole.to_vec();
                spoiled[at] = value;
                let bytes = BlobBytes::try_copy(&spoiled, memory).expect("there is memory");
                let mut player = Player::new(memory);
                match player.input.load(&bytes) {
                    Ok(()) => play(&mut player),
                    Err(error) => {
                        refused += 1;
                        parts += u32::from(matches!(error, MappingError::Part { .. }));
                    }
                }
            }
        }
        assert!(refused > 100 && parts > 100, "{refused} were refused, {parts} for a part");
    });
}

fn play(player: &mut Player<'_>) {
    for is_pressed in [true, false] {
        for code in KeyCode::ALL {
            player.key(*code, is_pressed);
        }
        player.pad(0, PadButton::South, is_pressed).tilt(0, PadAxis::LeftX, 1.0).frame();
    }
}

#[test]
fn without_memory_the_mapping_of_before_stays() {
    let count = every_refusal(|memory| {
        let mapping = {
            let bytes = loligo_input::compile::compile(MAPPING.as_bytes());
            BlobBytes::try_copy(&bytes.expect("it is right"), memory)
        };
        let mapping = mapping.map_err(MappingError::Grow)?;
        let mut input = Input::new(memory);
        for _ in 0..2 {
            let before = input.has_action(loligo_ids::id32!("jump"));
            if let Err(error) = input.load(&mapping) {
                assert_eq!(input.has_action(loligo_ids::id32!("jump")), before, "{error}");
                input.validate();
                return Err(error);
            }
        }
        Ok(())
    });
    assert!(count > 8, "{count}");
}

#[test]
fn without_memory_the_other_events_count() {
    let mapping = loligo_input::compile::compile(MAPPING.as_bytes()).expect("it is right");
    let count = every_refusal(|memory| {
        let mapping = BlobBytes::try_copy(&mapping, memory).map_err(MappingError::Grow)?;
        let mut input = Input::new(memory);
        input.load(&mapping)?;
        let mut events = EventStream::new(memory);
        events.try_push(TextInput { character: 'x' })?;
        for code in [KeyCode::Space, KeyCode::KeyD, KeyCode::ControlLeft] {
            let symbol = KeySymbol::NONE;
            events.try_push(KeyInput { code, is_pressed: true, is_repeat: false, symbol })?;
        }
        events.try_push(MouseMotion { delta: [2.0; 2], position: [3.0; 2] })?;
        input.begin_frame();
        let applied = input.apply(events.reader());
        input.validate();
        assert_eq!(input.mouse().position, [3.0; 2], "{applied:?}");
        // What was not pressed is released without an error.
        input.release_all();
        input.validate();
        Ok::<(), MappingError>(applied?)
    });
    assert!(count > 10, "{count}");
}
