//! Events of winit as plain ones.

use loligo_allocators::Allocator;
use loligo_containers::{EventStream, GrowError};
use winit::event::{DeviceEvent, ElementState, Ime, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, KeyLocation, NamedKey, PhysicalKey};
#[cfg(any(target_os = "linux", target_os = "windows", target_os = "macos"))]
use winit::platform::modifier_supplement::KeyEventExtModifierSupplement as _;

use crate::input_events::{
    FocusChange, KeyInput, MouseButtonInput, MouseMotion, MouseWheel, TextInput,
};
use crate::key_code::{KeyCode, with_key_codes};
use crate::key_symbol::KeySymbol;
use crate::mouse_button::MouseButton;

/// How many pixels of a touchpad are a line.
const PIXELS_OF_LINE: f32 = 20.0;

/// Translates events, and remembers what winit does not repeat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WinitInput {
    /// Where the cursor is.
    cursor: [f32; 2],
}

impl WinitInput {
    /// Appends what an event of the window says of input.
    pub(crate) fn window_event<A: Allocator + ?Sized>(
        &mut self,
        event: &WindowEvent,
        events: &mut EventStream<'_, A>,
    ) -> Result<(), GrowError> {
        match event {
            // A synthetic one is about what was done while another window had the keyboard.
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => {
                let is_pressed = event.state == ElementState::Pressed;
                events.try_push(KeyInput {
                    code: code(event.physical_key),
                    is_pressed,
                    is_repeat: event.repeat,
                    symbol: symbol(&without_modifiers(event), event.location),
                })?;
                match &event.text {
                    Some(text) if is_pressed => typed(text, events),
                    _ => Ok(()),
                }
            }
            WindowEvent::Ime(Ime::Commit(text)) => typed(text, events),
            WindowEvent::CursorMoved { position, .. } => {
                self.cursor = [position.x as f32, position.y as f32];
                events.try_push(MouseMotion { delta: [0.0; 2], position: self.cursor })
            }
            WindowEvent::MouseInput { state, button, .. } => match mouse_button(*button) {
                Some(button) => {
                    let is_pressed = *state == ElementState::Pressed;
                    events.try_push(MouseButtonInput { button, is_pressed })
                }
                None => Ok(()),
            },
            WindowEvent::MouseWheel { delta, .. } => {
                events.try_push(MouseWheel { lines: lines(*delta) })
            }
            WindowEvent::Focused(is_focused) => {
                events.try_push(FocusChange { is_focused: *is_focused })
            }
            _ => Ok(()),
        }
    }

    /// Appends what an event of a device says of input: how far the mouse itself was moved.
    pub(crate) fn device_event<A: Allocator + ?Sized>(
        self,
        event: &DeviceEvent,
        events: &mut EventStream<'_, A>,
    ) -> Result<(), GrowError> {
        let DeviceEvent::MouseMotion { delta: (x, y) } = *event else { return Ok(()) };
        events.try_push(MouseMotion { delta: [x as f32, y as f32], position: self.cursor })
    }
}

/// Appends the characters of a text.
fn typed<A: Allocator + ?Sized>(
    text: &str,
    events: &mut EventStream<'_, A>,
) -> Result<(), GrowError> {
    let characters = text.chars().filter(|character| !character.is_control());
    characters.map(|character| TextInput { character }).try_for_each(|typed| events.try_push(typed))
}

/// Returns what a key means without Shift and its like, where the system can say it.
fn without_modifiers(event: &winit::event::KeyEvent) -> Key {
    #[cfg(any(target_os = "linux", target_os = "windows", target_os = "macos"))]
    return event.key_without_modifiers();
    #[cfg(not(any(target_os = "linux", target_os = "windows", target_os = "macos")))]
    event.logical_key.clone()
}

fn code(key: PhysicalKey) -> KeyCode {
    use winit::keyboard::KeyCode as Winit;
    macro_rules! of_same_name {
        ($($code:ident),* $(,)?) => {
            match key {
                $(PhysicalKey::Code(Winit::$code) => KeyCode::$code,)*
                PhysicalKey::Code(Winit::SuperLeft) => KeyCode::MetaLeft,
                PhysicalKey::Code(Winit::SuperRight) => KeyCode::MetaRight,
                _ => KeyCode::Unidentified,
            }
        };
    }
    with_key_codes!(of_same_name)
}

fn symbol(key: &Key, location: KeyLocation) -> KeySymbol {
    match key {
        Key::Character(text) => {
            let mut characters = text.chars();
            match (characters.next(), characters.next()) {
                (Some(character), None) if !character.is_control() => {
                    KeySymbol::from_char(character)
                }
                _ => KeySymbol::NONE,
            }
        }
        Key::Named(named) => KeySymbol::from_key(named_key(*named, location)),
        _ => KeySymbol::NONE,
    }
}

/// Returns the key that bears a name on a standard keyboard.
fn named_key(named: NamedKey, location: KeyLocation) -> KeyCode {
    let side = |left, right| if location == KeyLocation::Right { right } else { left };
    macro_rules! of_same_name {
        ($($name:ident),* $(,)?) => {
            match named {
                $(NamedKey::$name => KeyCode::$name,)*
                NamedKey::Alt => side(KeyCode::AltLeft, KeyCode::AltRight),
                NamedKey::AltGraph => KeyCode::AltRight,
                NamedKey::Control => side(KeyCode::ControlLeft, KeyCode::ControlRight),
                NamedKey::Shift => side(KeyCode::ShiftLeft, KeyCode::ShiftRight),
                NamedKey::Super => side(KeyCode::MetaLeft, KeyCode::MetaRight),
                _ => KeyCode::Unidentified,
            }
        };
    }
    of_same_name! {
        CapsLock, NumLock, ScrollLock, Enter, Tab, Space, ArrowDown, ArrowLeft, ArrowRight,
        ArrowUp, End, Home, PageDown, PageUp, Backspace, Copy, Cut, Delete, Insert, Paste, Undo,
        Again, ContextMenu, Escape, Find, Help, Pause, Props, Select, Eject, Power, PrintScreen,
        WakeUp, Convert, KanaMode, NonConvert, Open, F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11,
        F12, F13, F14, F15, F16, F17, F18, F19, F20, F21, F22, F23, F24,
    }
}

fn mouse_button(button: winit::event::MouseButton) -> Option<MouseButton> {
    use winit::event::MouseButton as Winit;
    Some(match button {
        Winit::Left => MouseButton::Left,
        Winit::Right => MouseButton::Right,
        Winit::Middle => MouseButton::Middle,
        Winit::Back => MouseButton::Back,
        Winit::Forward => MouseButton::Forward,
        Winit::Other(_) => return None,
    })
}

/// Returns the lines that a turn of the wheel is: winit's content goes right and down, where the
/// view goes left and up.
fn lines(delta: MouseScrollDelta) -> [f32; 2] {
    let [x, y] = match delta {
        MouseScrollDelta::LineDelta(x, y) => [x, y],
        MouseScrollDelta::PixelDelta(pixels) => {
            [pixels.x as f32 / PIXELS_OF_LINE, pixels.y as f32 / PIXELS_OF_LINE]
        }
    };
    // Not `-x`, which is -0 for 0.
    [0.0 - x, y]
}

#[cfg(test)]
mod tests;
