//! Tests of the translation: what winit lets a program make.

use loligo_allocators::StaticHeap;
use loligo_containers::Event;
use std::vec::Vec;
use winit::dpi::PhysicalPosition;
use winit::event::{DeviceId, TouchPhase};
use winit::keyboard::{KeyCode as Winit, NativeKeyCode};

use super::*;

/// Translates events and returns those of one type.
fn translated<E: Event>(events: &[WindowEvent]) -> Vec<E> {
    static MEMORY: StaticHeap<65536> = StaticHeap::new("test");
    let mut stream: EventStream = EventStream::new(&MEMORY);
    let mut input = WinitInput::default();
    for event in events {
        input.window_event(event, &mut stream).expect("there is memory");
    }
    stream.of().collect()
}

#[test]
fn keys_have_the_codes_of_the_w3c() {
    for (winit, ours) in [
        (Winit::KeyW, KeyCode::KeyW),
        (Winit::ArrowUp, KeyCode::ArrowUp),
        (Winit::SuperRight, KeyCode::MetaRight),
        (Winit::Hyper, KeyCode::Unidentified),
    ] {
        assert_eq!(code(PhysicalKey::Code(winit)), ours);
    }
    let unknown = PhysicalKey::Unidentified(NativeKeyCode::Xkb(7));
    assert_eq!(code(unknown), KeyCode::Unidentified);
}

#[test]
fn symbols_are_characters_or_keys() {
    let standard = KeyLocation::Standard;
    let character = |text: &str| symbol(&Key::Character(text.into()), standard);
    assert_eq!(character("Z").char(), Some('z'), "lower case");
    assert_eq!(character("ab"), KeySymbol::NONE, "two characters");
    assert_eq!(character("\u{1}"), KeySymbol::NONE, "a control character");
    for (named, location, key) in [
        (NamedKey::Enter, KeyLocation::Numpad, KeyCode::Enter),
        (NamedKey::Shift, KeyLocation::Left, KeyCode::ShiftLeft),
        (NamedKey::Shift, KeyLocation::Right, KeyCode::ShiftRight),
        (NamedKey::F24, standard, KeyCode::F24),
    ] {
        assert_eq!(symbol(&Key::Named(named), location).key(), Some(key));
    }
    assert_eq!(symbol(&Key::Named(NamedKey::Zenkaku), standard), KeySymbol::NONE);
    assert_eq!(symbol(&Key::Dead(Some('^')), standard), KeySymbol::NONE);
}

#[test]
fn the_mouse_is_translated() {
    let device_id = DeviceId::dummy();
    let moved =
        |x, y| WindowEvent::CursorMoved { device_id, position: PhysicalPosition::new(x, y) };
    let motions: Vec<MouseMotion> = translated(&[moved(3.0, 4.0), moved(5.0, 6.0)]);
    let positions: Vec<_> = motions.iter().map(|motion| motion.position).collect();
    assert_eq!(positions, [[3.0, 4.0], [5.0, 6.0]]);
    assert!(motions.iter().all(|motion| motion.delta == [0.0; 2]), "{motions:?}");

    let button = |button, state| WindowEvent::MouseInput { device_id, state, button };
    let buttons: Vec<MouseButtonInput> = translated(&[
        button(winit::event::MouseButton::Right, ElementState::Pressed),
        button(winit::event::MouseButton::Other(9), ElementState::Pressed),
        button(winit::event::MouseButton::Right, ElementState::Released),
    ]);
    let pressed: Vec<_> = buttons.iter().map(|event| (event.button, event.is_pressed)).collect();
    assert_eq!(pressed, [(MouseButton::Right, true), (MouseButton::Right, false)]);

    let wheel = |delta| WindowEvent::MouseWheel { device_id, delta, phase: TouchPhase::Moved };
    let turned: Vec<MouseWheel> = translated(&[
        wheel(MouseScrollDelta::LineDelta(1.0, 2.0)),
        wheel(MouseScrollDelta::PixelDelta(PhysicalPosition::new(0.0, -30.0))),
    ]);
    let lines: Vec<_> = turned.iter().map(|wheel| wheel.lines).collect();
    assert_eq!(lines, [[-1.0, 2.0], [0.0, -1.5]]);
}

#[test]
fn the_mouse_itself_moves_where_the_cursor_is() {
    static MEMORY: StaticHeap<65536> = StaticHeap::new("test");
    let mut stream: EventStream = EventStream::new(&MEMORY);
    let input = WinitInput { cursor: [7.0, 8.0] };
    let motion = DeviceEvent::MouseMotion { delta: (1.0, -2.0) };
    input.device_event(&motion, &mut stream).expect("there is memory");
    let motions: Vec<MouseMotion> = stream.of().collect();
    assert_eq!(motions, [MouseMotion { delta: [1.0, -2.0], position: [7.0, 8.0] }]);
}

#[test]
fn text_has_no_control_characters() {
    let committed = WindowEvent::Ime(Ime::Commit("a\u{8}é".into()));
    let typed: Vec<TextInput> = translated(&[committed]);
    let characters: Vec<_> = typed.iter().map(|typed| typed.character).collect();
    assert_eq!(characters, ['a', 'é']);
}

#[test]
fn focus_is_reported() {
    let changes: Vec<FocusChange> =
        translated(&[WindowEvent::Focused(false), WindowEvent::Focused(true)]);
    let focused: Vec<_> = changes.iter().map(|change| change.is_focused).collect();
    assert_eq!(focused, [false, true]);
}
