//! A player of tests: events by hand, and an input that takes them.

use loligo_allocators::Allocator;
use loligo_containers::{BlobBytes, Event, EventStream};
use loligo_ids::IdString32;
use loligo_input::Input;
use loligo_input::compile::compile;
use loligo_platform::{
    FocusChange, KeyCode, KeyInput, KeySymbol, MouseButton, MouseButtonInput, PadAxis,
    PadAxisInput, PadButton, PadButtonInput,
};

/// A mapping with something of everything.
pub(crate) const MAPPING: &str = r#"contexts = {
    play = {
        actions = {
            jump = [ "Space" "KeyJ" "PadSouth" ]
            save = "ControlLeft+KeyS"
            crouch = "KeyS"
            fire = [ "MouseLeft" { control = "PadRightTrigger" threshold = 0.4 } ]
            next = "WheelUp"
            quit = "'q'"
            left = "PadLeftStickLeft"
        }
        axes = {
            move_x = [ "KeyD" "ArrowRight" "-KeyA" { control = "PadLeftX" dead_zone = 0.2 } ]
            move_y = [ "KeyW" { control = "PadLeftY" dead_zone = 0.2 } ]
            turn = [ { control = "MouseX" scale = 0.5 } { control = "PadRightX" dead_zone = 0 } ]
            orbit = "MouseRight+MouseX"
            zoom = [ "WheelY" ]
            gas = { control = "PadLeftTrigger" dead_zone = 0.1 scale = 2 }
        }
    }
    menu = {
        active = false
        actions = { confirm = [ "Space" "PadSouth" ] back = "Escape" }
        axes = { pick = [ "KeyD" "PadLeftX" ] }
    }
}"#;

/// Compiles a mapping, copied to where a resource would be.
pub(crate) fn compiled<'a>(text: &str, memory: &'a dyn Allocator) -> BlobBytes<'a> {
    let bytes = compile(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    BlobBytes::try_copy(&bytes, memory).expect("there is memory")
}

pub(crate) struct Player<'a> {
    pub(crate) input: Input<'a>,
    events: EventStream<'a>,
}

impl<'a> Player<'a> {
    pub(crate) fn new(memory: &'a dyn Allocator) -> Self {
        Self::with(MAPPING, memory)
    }

    pub(crate) fn with(text: &str, memory: &'a dyn Allocator) -> Self {
        let mut input = Input::new(memory);
        input.load(&compiled(text, memory)).expect("it was compiled");
        Self { input, events: EventStream::new(memory) }
    }

    /// Lets something happen before the next frame.
    pub(crate) fn event(&mut self, event: impl Event) -> &mut Self {
        self.events.push(event);
        self
    }

    pub(crate) fn key(&mut self, code: KeyCode, is_pressed: bool) -> &mut Self {
        self.event(key(code, KeySymbol::NONE, is_pressed))
    }

    pub(crate) fn symbol(&mut self, code: KeyCode, symbol: char, is_pressed: bool) -> &mut Self {
        self.event(key(code, KeySymbol::from_char(symbol), is_pressed))
    }

    pub(crate) fn mouse(&mut self, button: MouseButton, is_pressed: bool) -> &mut Self {
        self.event(MouseButtonInput { button, is_pressed })
    }

    pub(crate) fn pad(&mut self, pad: u16, button: PadButton, is_pressed: bool) -> &mut Self {
        self.event(PadButtonInput { pad, button, is_pressed })
    }

    pub(crate) fn tilt(&mut self, pad: u16, axis: PadAxis, value: f32) -> &mut Self {
        self.event(PadAxisInput { pad, axis, value })
    }

    pub(crate) fn focus(&mut self, is_focused: bool) -> &mut Self {
        self.event(FocusChange { is_focused })
    }

    /// A frame with what has happened.
    pub(crate) fn frame(&mut self) -> &mut Self {
        self.input.begin_frame();
        self.input.apply(self.events.reader()).expect("there is memory");
        self.input.validate();
        self.events.clear();
        self
    }

    /// Asserts of an action: whether it is down, was pressed, was released.
    #[track_caller]
    pub(crate) fn expect(&mut self, name: &str, expected: [bool; 3]) -> &mut Self {
        let (input, hash) = (&self.input, IdString32::new(name));
        let found = [input.is_down(hash), input.pressed(hash), input.released(hash)];
        assert_eq!(found, expected, "{name}: down, pressed, released");
        self
    }

    #[track_caller]
    pub(crate) fn expect_value(&mut self, name: &str, expected: f32) -> &mut Self {
        let found = self.input.value(IdString32::new(name));
        assert!((found - expected).abs() < 1e-5, "{name} is {found}, not {expected}");
        self
    }

    pub(crate) fn context(&mut self, name: &str, is_active: bool) -> &mut Self {
        assert!(self.input.set_context(IdString32::new(name), is_active), "{name} is a context");
        self.input.validate();
        self
    }
}

fn key(code: KeyCode, symbol: KeySymbol, is_pressed: bool) -> KeyInput {
    KeyInput { code, is_pressed, is_repeat: false, symbol }
}

/// Down, pressed, released, in the frames of an action that is pressed and released.
pub(crate) const PRESSED: [bool; 3] = [true, true, false];
pub(crate) const DOWN: [bool; 3] = [true, false, false];
pub(crate) const RELEASED: [bool; 3] = [false, false, true];
pub(crate) const UP: [bool; 3] = [false, false, false];
pub(crate) const BOTH: [bool; 3] = [false, true, true];
