//! Events of the platform, one after the other.

use loligo_allocators::Allocator;
use loligo_containers::{EventReader, EventRecord, GrowError};
use loligo_platform::{
    FocusChange, KeyInput, MouseButtonInput, MouseMotion, MouseWheel, PadAxisInput, PadButtonInput,
    PadConnected, PadDisconnected, TextInput,
};

use super::Input;
use crate::control::Control;
use crate::devices::{NO_PAD, PADS_MAX, key};

/// No event moves further, so that no sum of a frame is infinite.
const MOTION_MAX: f32 = 1e6;

impl<A: Allocator + ?Sized> Input<'_, A> {
    /// Takes the events since the last frame, in order; those of other types are skipped.
    ///
    /// # Complexity
    ///
    /// See the [type](Self).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the text of the frame or for what is down. The other
    /// events count all the same.
    pub fn apply(&mut self, events: EventReader<'_>) -> Result<(), GrowError> {
        let mut result = Ok(());
        for event in events {
            result = result.and(self.event(&event));
        }
        self.settle();
        result
    }

    fn event(&mut self, event: &EventRecord<'_>) -> Result<(), GrowError> {
        if let Some(change) = event.get::<FocusChange>() {
            if !change.is_focused {
                self.release_all();
            }
            self.is_focused = change.is_focused;
        } else if let Some(moved) = event.get::<MouseMotion>() {
            self.moved(moved);
        } else if !self.is_focused {
            // Another program has the keyboard.
        } else if let Some(input) = event.get::<KeyInput>() {
            let controls = key(input.code, input.symbol);
            match (input.is_pressed, input.is_repeat) {
                _ if controls == [Control::NONE; 2] => {}
                (true, true) => {}
                (true, false) => self.press(controls, NO_PAD)?,
                (false, _) => self.release(controls, NO_PAD),
            }
        } else if let Some(input) = event.get::<TextInput>() {
            let mut bytes = [0; 4];
            let text = input.character.encode_utf8(&mut bytes);
            self.text.try_extend_from_slice(text.as_bytes())?;
        } else if let Some(input) = event.get::<MouseButtonInput>() {
            self.button(Control::mouse_button(input.button), NO_PAD, input.is_pressed)?;
        } else if let Some(turned) = event.get::<MouseWheel>() {
            self.turned(turned);
        } else {
            self.pad_event(event)?;
        }
        Ok(())
    }

    fn pad_event(&mut self, event: &EventRecord<'_>) -> Result<(), GrowError> {
        let is_heard = |pad: u16| usize::from(pad) < PADS_MAX && self.listens_to(pad);
        if let Some(input) = event.get::<PadAxisInput>() {
            if is_heard(input.pad) {
                self.tilt(input.pad, input.axis, input.value)?;
            }
        } else if let Some(input) = event.get::<PadButtonInput>() {
            if is_heard(input.pad) {
                self.button(Control::pad_button(input.button), input.pad, input.is_pressed)?;
            }
        } else if let Some(PadConnected { pad }) = event.get() {
            self.release_pad(pad);
        } else if let Some(PadDisconnected { pad }) = event.get() {
            self.release_pad(pad);
        }
        Ok(())
    }

    fn button(&mut self, control: Control, pad: u16, is_pressed: bool) -> Result<(), GrowError> {
        let controls = [control, Control::NONE];
        if is_pressed {
            return self.press(controls, pad);
        }
        self.release(controls, pad);
        Ok(())
    }

    /// The mouse was moved. Its cursor is followed without the focus as well.
    fn moved(&mut self, moved: MouseMotion) {
        if moved.position.iter().all(|pixels| pixels.is_finite()) {
            self.mouse.position = moved.position;
        }
        if self.is_focused && moved.delta.iter().all(|units| units.is_finite()) {
            for (axis, units) in moved.delta.into_iter().enumerate() {
                let units = units.clamp(-MOTION_MAX, MOTION_MAX);
                self.mouse.delta[axis] += units;
                self.move_by(Control::motion(axis as u32), units);
            }
        }
    }

    fn turned(&mut self, turned: MouseWheel) {
        if turned.lines.iter().all(|lines| lines.is_finite()) {
            for (axis, lines) in turned.lines.into_iter().enumerate() {
                let lines = lines.clamp(-MOTION_MAX, MOTION_MAX);
                self.mouse.wheel[axis] += lines;
                self.move_by(Control::wheel(axis as u32), lines);
            }
        }
    }
}
