//! Random players, compared with a model that keeps no order and no ranges.

use std::collections::BTreeSet;

use loligo_containers::EventStream;
use loligo_ids::IdString32;
use loligo_input::{Control, Input};
use loligo_platform::{
    FocusChange, KeyCode, KeyInput, KeySymbol, MouseButton, MouseButtonInput, MouseWheel, PadAxis,
    PadAxisInput, PadButton, PadButtonInput, PadConnected, PadDisconnected,
};
use proptest::prelude::*;

use crate::memory::with_memory;
use crate::player::compiled;
use crate::test_drawn::{check, seeded};

const CONTEXTS: [&str; 3] = ["low", "mid", "top"];
const ACTIONS: [&str; 3] = ["a", "b", "c"];
const AXES: [&str; 2] = ["x", "y"];
const KEYS: [KeyCode; 4] =
    [KeyCode::KeyA, KeyCode::KeyS, KeyCode::ControlLeft, KeyCode::Unidentified];
const SYMBOLS: [Option<char>; 3] = [Some('a'), Some('s'), None];
const HELD: [&str; 4] = ["KeyA", "ControlLeft", "'s'", "PadSouth"];
const DIGITAL: [&str; 6] = ["KeyA", "KeyS", "'a'", "MouseLeft", "PadSouth", "'s'"];
const ANALOG: [&str; 5] = ["PadLeftX", "PadLeftStickLeft", "PadLeftY", "WheelY", "WheelUp"];

/// A binding as the model has it.
#[derive(Clone, Debug)]
struct Bound {
    context: usize,
    target: usize,
    chord: Vec<&'static str>,
    control: &'static str,
    scale: i8,
    /// In tenths: dead zone or threshold.
    edge: u8,
}

impl Bound {
    fn is_action(&self) -> bool {
        self.target < ACTIONS.len()
    }

    fn is_pad(&self) -> bool {
        self.control.starts_with("PadLeft")
    }

    fn text(&self) -> String {
        let chord: Vec<_> = self.chord.iter().chain([&self.control]).copied().collect();
        let name = chord.join("+");
        let edge = f32::from(self.edge) / 10.0;
        match (self.is_action(), self.is_pad()) {
            (true, true) => {
                let sign = if self.scale < 0 { "-" } else { "" };
                format!("{{ control = \"{sign}{name}\" threshold = {edge} }}")
            }
            (true, false) => format!("\"{name}\""),
            (false, true) => {
                format!("{{ control = \"{name}\" scale = {} dead_zone = {edge} }}", self.scale)
            }
            (false, false) => format!("{{ control = \"{name}\" scale = {} }}", self.scale),
        }
    }

    /// What it multiplies values by.
    fn factor(&self) -> f32 {
        match (self.is_action(), self.is_pad()) {
            (true, true) if self.scale < 0 => -1.0,
            (true, _) => 1.0,
            (false, _) => f32::from(self.scale),
        }
    }

    /// The axis of the pad, and the direction of the value.
    fn pad_value(&self, [x, y]: [f32; 2]) -> (usize, f32) {
        match self.control {
            "PadLeftX" => (0, x),
            "PadLeftStickLeft" => (0, (-x).max(0.0)),
            _ => (1, y),
        }
    }
}

fn bound() -> impl Strategy<Value = Bound> {
    let control =
        prop_oneof![prop::sample::select(&DIGITAL[..]), prop::sample::select(&ANALOG[..])];
    let chord = prop::sample::subsequence(&HELD[..], 0..=2);
    (0..3_usize, 0..5_usize, chord, control, -2..=2_i8, 1..=5_u8).prop_map(
        |(context, target, mut chord, control, scale, edge)| {
            chord.retain(|held| *held != control);
            let control = if target < 3 && control == "WheelY" { "WheelUp" } else { control };
            Bound { context, target, chord, control, scale, edge }
        },
    )
}

/// The source of a mapping.
fn source(bindings: &[Bound]) -> String {
    let mut text = String::from("contexts = {\n");
    for (context, name) in CONTEXTS.iter().enumerate() {
        text += &format!("{name} = {{\n");
        for (kind, names, first) in [("actions", &ACTIONS[..], 0), ("axes", &AXES[..], 3)] {
            text += &format!("{kind} = {{\n");
            for (place, target) in names.iter().enumerate() {
                let is_its =
                    |bound: &&Bound| bound.context == context && bound.target == first + place;
                let all: Vec<_> = bindings.iter().filter(is_its).map(Bound::text).collect();
                text += &format!("{target} = [ {} ]\n", all.join(" "));
            }
            text += "}\n";
        }
        text += "}\n";
    }
    text + "}"
}

#[derive(Clone, Debug)]
enum Op {
    Key { code: usize, symbol: usize, is_pressed: bool, is_repeat: bool },
    Mouse(bool),
    Pad { pad: u16, is_pressed: bool },
    Tilt { pad: u16, axis: PadAxis, tenths: i8 },
    Wheel(i8),
    Connect(u16, bool),
    Focus(bool),
    Context(usize, bool),
    Frame,
}

fn op() -> impl Strategy<Value = Op> {
    let axis = prop::sample::select(vec![PadAxis::LeftX, PadAxis::LeftY]);
    prop_oneof![
        8 => (0..4_usize, 0..3_usize, any::<bool>(), prop::bool::weighted(0.1)).prop_map(
            |(code, symbol, is_pressed, is_repeat)| Op::Key { code, symbol, is_pressed, is_repeat }
        ),
        2 => any::<bool>().prop_map(Op::Mouse),
        3 => (0..2_u16, any::<bool>()).prop_map(|(pad, is_pressed)| Op::Pad { pad, is_pressed }),
        5 => (0..2_u16, axis, -10..=10_i8)
            .prop_map(|(pad, axis, tenths)| Op::Tilt { pad, axis, tenths }),
        2 => (-2..=2_i8).prop_map(Op::Wheel),
        1 => (0..2_u16, any::<bool>()).prop_map(|(pad, is_new)| Op::Connect(pad, is_new)),
        1 => prop::bool::weighted(0.8).prop_map(Op::Focus),
        3 => (0..3_usize, any::<bool>()).prop_map(|(place, is_on)| Op::Context(place, is_on)),
        4 => Just(Op::Frame),
    ]
}

/// What is pressed: its names, and the pad.
#[derive(Clone, Debug, PartialEq)]
struct Press {
    number: u32,
    code: Option<Control>,
    names: Vec<Control>,
    pad: Option<u16>,
}

/// Why a binding is down.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cause {
    Press(u32),
    Tilt(u16),
}

struct Model {
    bindings: Vec<Bound>,
    active: [bool; 3],
    held: Vec<Press>,
    sticks: [[f32; 2]; 2],
    down: Vec<(Cause, usize)>,
    pressed: BTreeSet<usize>,
    released: BTreeSet<usize>,
    motion: [f32; 2],
    is_focused: bool,
    presses: u32,
}

fn control(name: &str) -> Control {
    Control::from_name(name).expect("it is a name")
}

impl Model {
    fn fits(&self, bound: &Bound) -> bool {
        let is_held =
            |name: &str| self.held.iter().any(|press| press.names.contains(&control(name)));
        self.active[bound.context] && bound.chord.iter().all(|name| is_held(name))
    }

    /// The bindings that count, of those that are of a control.
    fn counting(&self, is_its: impl Fn(&Bound) -> bool) -> Vec<usize> {
        let fitting: Vec<usize> = (0..self.bindings.len())
            .filter(|at| is_its(&self.bindings[*at]) && self.fits(&self.bindings[*at]))
            .collect();
        let rank = |at: &usize| (self.bindings[*at].context, self.bindings[*at].chord.len());
        let most = fitting.iter().map(rank).max();
        fitting.into_iter().filter(|at| Some(rank(at)) == most).collect()
    }

    fn count(&self, target: usize) -> usize {
        self.down.iter().filter(|(_, at)| self.bindings[*at].target == target).count()
    }

    fn begin(&mut self, cause: Cause, at: usize) {
        let target = self.bindings[at].target;
        if self.count(target) == 0 {
            self.pressed.insert(target);
        }
        self.down.push((cause, at));
    }

    fn end(&mut self, is_over: impl Fn(&Self, Cause, usize) -> bool) {
        let over: Vec<_> =
            self.down.iter().copied().filter(|(cause, at)| is_over(self, *cause, *at)).collect();
        for gone in over {
            let place = self.down.iter().position(|other| *other == gone).expect("it is there");
            self.down.remove(place);
            let target = self.bindings[gone.1].target;
            if self.count(target) == 0 {
                self.released.insert(target);
            }
        }
    }

    fn press(&mut self, code: Option<Control>, symbol: Option<Control>, pad: Option<u16>) {
        if self.place(code, symbol, pad).is_some() || (code.is_none() && symbol.is_none()) {
            return;
        }
        self.presses += 1;
        let names: Vec<Control> = code.into_iter().chain(symbol).collect();
        let number = self.presses;
        self.held.push(Press { number, code, names: names.clone(), pad });
        for at in self.counting(|bound| names.contains(&control(bound.control))) {
            self.begin(Cause::Press(number), at);
        }
    }

    fn place(
        &self,
        code: Option<Control>,
        symbol: Option<Control>,
        pad: Option<u16>,
    ) -> Option<usize> {
        self.held.iter().position(|press| {
            let is_same = code.is_some() || symbol.is_some_and(|name| press.names == [name]);
            press.code == code && press.pad == pad && is_same
        })
    }

    fn release(&mut self, code: Option<Control>, symbol: Option<Control>, pad: Option<u16>) {
        let Some(place) = self.place(code, symbol, pad) else { return };
        let press = self.held.remove(place);
        self.end(|model, cause, at| {
            let chord = &model.bindings[at].chord;
            let is_held =
                |name: &str| model.held.iter().any(|held| held.names.contains(&control(name)));
            cause == Cause::Press(press.number) || !chord.iter().all(|name| is_held(name))
        });
    }

    fn tilt(&mut self, pad: u16, axis: PadAxis, value: f32) {
        let stick = &mut self.sticks[usize::from(pad)];
        let before = *stick;
        stick[axis as usize] = value;
        let after = *stick;
        let scaled = |bound: &Bound, stick| {
            let (of, value) = bound.pad_value(stick);
            (of == axis as usize).then_some(value * bound.factor())
        };
        self.end(|model, cause, at| {
            let bound = &model.bindings[at];
            let edge = f32::from(bound.edge) / 10.0;
            let is_low = scaled(bound, after).is_some_and(|value| value < edge * 0.8);
            cause == Cause::Tilt(pad) && bound.is_pad() && is_low
        });
        let is_its = |bound: &Bound| bound.is_pad() && scaled(bound, after).is_some();
        for at in self.counting(is_its) {
            let bound = &self.bindings[at];
            let edge = f32::from(bound.edge) / 10.0;
            let is_crossed = scaled(bound, before).is_some_and(|value| value < edge)
                && scaled(bound, after).is_some_and(|value| value >= edge);
            let cause = Cause::Tilt(pad);
            if bound.is_action() && is_crossed && !self.down.contains(&(cause, at)) {
                self.begin(cause, at);
            }
        }
    }

    fn wheel(&mut self, lines: f32) {
        for at in self.counting(|bound| bound.control.starts_with("Wheel")) {
            let bound = &self.bindings[at];
            let directed = if bound.control == "WheelUp" { lines.max(0.0) } else { lines };
            let motion = directed * bound.factor();
            let target = bound.target;
            if !bound.is_action() {
                self.motion[target - ACTIONS.len()] += motion;
            } else if motion > 0.0 && self.count(target) == 0 {
                self.pressed.insert(target);
                self.released.insert(target);
            }
        }
    }

    fn pad_gone(&mut self, pad: u16) {
        let held: Vec<_> =
            self.held.iter().filter(|press| press.pad == Some(pad)).cloned().collect();
        for press in held {
            self.release(press.code, None, Some(pad));
        }
        self.sticks[usize::from(pad)] = [0.0; 2];
        self.end(|_, cause, _| cause == Cause::Tilt(pad));
    }

    fn switch(&mut self, place: usize, is_on: bool) {
        if self.active[place] == is_on {
            return;
        }
        self.active[place] = is_on;
        self.end(|model, cause, at| {
            let bound = &model.bindings[at];
            let names = match cause {
                Cause::Press(number) => {
                    let press = model.held.iter().find(|press| press.number == number);
                    press.expect("it is held").names.clone()
                }
                Cause::Tilt(_) => Vec::new(),
            };
            let counting = model.counting(|other| match cause {
                Cause::Press(_) => names.contains(&control(other.control)),
                Cause::Tilt(_) => {
                    other.is_pad() && other.pad_value([0.0; 2]).0 == bound.pad_value([0.0; 2]).0
                }
            });
            let hides = |at: &usize| model.bindings[*at].context > bound.context;
            !model.active[bound.context] || counting.iter().any(hides)
        });
    }

    fn value(&self, axis: usize) -> f32 {
        let target = axis + ACTIONS.len();
        let down = self.down.iter().filter(|(_, at)| self.bindings[*at].target == target);
        let mut values: Vec<f32> = down.map(|(_, at)| self.bindings[*at].factor()).collect();
        for of in [0, 1] {
            let is_its = |bound: &Bound| bound.is_pad() && bound.pad_value([0.0; 2]).0 == of;
            for at in self.counting(is_its) {
                let bound = &self.bindings[at];
                if bound.target != target {
                    continue;
                }
                let dead = f64::from(bound.edge) / 10.0;
                let shaped = self.sticks.map(|stick| {
                    let [x, y] = stick.map(f64::from);
                    let length = x.hypot(y);
                    let outside = ((length.min(1.0) - dead) / (1.0 - dead)).max(0.0);
                    let factor = if length > 0.0 { outside / length } else { 0.0 };
                    let stick = [(x * factor) as f32, (y * factor) as f32];
                    bound.pad_value(stick).1 * bound.factor()
                });
                let most = shaped[0].abs() >= shaped[1].abs();
                values.push(if most { shaped[0] } else { shaped[1] });
            }
        }
        let plus = values.iter().copied().fold(0.0, f32::max);
        let minus = values.iter().copied().fold(0.0, f32::min);
        plus + minus + self.motion[axis]
    }

    fn apply(&mut self, op: &Op) {
        if !self.is_focused && !matches!(op, Op::Focus(_) | Op::Context(..) | Op::Frame) {
            return;
        }
        match *op {
            Op::Key { is_repeat: true, is_pressed: true, .. } => {}
            Op::Key { code, symbol, is_pressed, .. } => {
                let code = Some(KEYS[code]).filter(|code| *code != KeyCode::Unidentified);
                let symbol = SYMBOLS[symbol].map(|at| Control::symbol(KeySymbol::from_char(at)));
                let code = code.map(Control::key);
                match is_pressed {
                    true => self.press(code, symbol, None),
                    false => self.release(code, symbol, None),
                }
            }
            Op::Mouse(is_pressed) => self.button("MouseLeft", None, is_pressed),
            Op::Pad { pad, is_pressed } => self.button("PadSouth", Some(pad), is_pressed),
            Op::Tilt { pad, axis, tenths } => self.tilt(pad, axis, f32::from(tenths) / 10.0),
            Op::Wheel(lines) => self.wheel(f32::from(lines)),
            Op::Connect(pad, _) => self.pad_gone(pad),
            Op::Focus(is_focused) => {
                self.is_focused = is_focused;
                if !is_focused {
                    self.end(|_, _, _| true);
                    self.held.clear();
                    self.sticks = [[0.0; 2]; 2];
                }
            }
            Op::Context(place, is_on) => self.switch(place, is_on),
            Op::Frame => {
                self.pressed.clear();
                self.released.clear();
                self.motion = [0.0; 2];
            }
        }
    }

    fn button(&mut self, name: &str, pad: Option<u16>, is_pressed: bool) {
        match is_pressed {
            true => self.press(Some(control(name)), None, pad),
            false => self.release(Some(control(name)), None, pad),
        }
    }
}

/// Appends the event of an operation.
fn push(op: &Op, events: &mut EventStream<'_>) {
    match *op {
        Op::Key { code, symbol, is_pressed, is_repeat } => {
            let symbol = SYMBOLS[symbol].map_or(KeySymbol::NONE, KeySymbol::from_char);
            events.push(KeyInput { code: KEYS[code], is_pressed, is_repeat, symbol });
        }
        Op::Mouse(is_pressed) => {
            events.push(MouseButtonInput { button: MouseButton::Left, is_pressed });
        }
        Op::Pad { pad, is_pressed } => {
            events.push(PadButtonInput { pad, button: PadButton::South, is_pressed });
        }
        Op::Tilt { pad, axis, tenths } => {
            events.push(PadAxisInput { pad, axis, value: f32::from(tenths) / 10.0 });
        }
        Op::Wheel(lines) => events.push(MouseWheel { lines: [0.0, f32::from(lines)] }),
        Op::Connect(pad, true) => events.push(PadConnected { pad }),
        Op::Connect(pad, false) => events.push(PadDisconnected { pad }),
        Op::Focus(is_focused) => events.push(FocusChange { is_focused }),
        Op::Context(..) | Op::Frame => {}
    }
}

/// Compares everything that can be asked for.
fn compare(input: &Input<'_>, model: &Model) -> Result<(), TestCaseError> {
    for (target, name) in ACTIONS.iter().enumerate() {
        let hash = IdString32::new(name);
        let found = [input.is_down(hash), input.pressed(hash), input.released(hash)];
        let expected = [
            model.count(target) > 0,
            model.pressed.contains(&target),
            model.released.contains(&target),
        ];
        prop_assert_eq!(found, expected, "{}: down, pressed, released", name);
    }
    for (axis, name) in AXES.iter().enumerate() {
        let (found, expected) = (input.value(IdString32::new(name)), model.value(axis));
        prop_assert!((found - expected).abs() < 1e-4, "{}: {} is not {}", name, found, expected);
    }
    Ok(())
}

#[test]
fn any_player_is_as_in_the_model() {
    let mapping = prop::collection::vec(bound(), 0..14);
    let drawn = (mapping, prop::collection::vec(op(), 0..60));
    check(seeded(7, 2_000), &drawn, |(bindings, ops)| {
        with_memory(|memory| {
            let mut input = Input::new(memory);
            input.load(&compiled(&source(&bindings), memory)).expect("it was compiled");
            let mut model = Model {
                bindings,
                active: [true; 3],
                held: Vec::new(),
                sticks: [[0.0; 2]; 2],
                down: Vec::new(),
                pressed: BTreeSet::new(),
                released: BTreeSet::new(),
                motion: [0.0; 2],
                is_focused: true,
                presses: 0,
            };
            let mut events = EventStream::new(memory);
            for op in &ops {
                match *op {
                    Op::Context(place, is_on) => {
                        assert!(input.set_context(IdString32::new(CONTEXTS[place]), is_on));
                    }
                    Op::Frame => input.begin_frame(),
                    _ => {
                        events.clear();
                        push(op, &mut events);
                        input.apply(events.reader()).expect("there is memory");
                    }
                }
                model.apply(op);
                input.validate();
                compare(&input, &model)?;
            }
            Ok(())
        })
    });
}
