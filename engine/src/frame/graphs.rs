//! Graphs on the screen: what the monitor has of them, drawn by commands of another subsystem.
//!
//! After "Monitoring your game" (Bitsquid blog, 2011-05-26). The monitor keeps the values, and
//! knows no screen; what draws lines and texts on it is known by the names of its commands alone.
//! Without it nothing is drawn.

use core::fmt::{self, Write as _};

use loligo_diagnostics::log;
use loligo_interface::{EventSchema, EventText, FieldKind, TEXT_BYTES};
use loligo_monitor::{Graph, current, name};

use super::Engine;
use super::graphed_memory::record_memory;
use crate::error::EngineError;
use crate::memory::SharedAllocator;
use crate::world::{EVENT_BYTES_MAX, World};

/// The commands that draw.
const LINE: &str = "draw_screen_line";
const TEXT: &str = "draw_screen_text";

/// The height of a letter, and the space around what is drawn, in pixels.
const LETTER: f32 = 9.0;
const SPACE: f32 = 8.0;

/// The height of a row of text.
const ROW: f32 = LETTER + SPACE;

/// The most of the picture that a graph covers: a part of its width, and of its height.
const PART: [f32; 2] = [0.3, 0.2];

/// The smallest and the largest size of a graph in pixels.
const SIZES: [[f32; 2]; 2] = [[160.0, 64.0], [512.0, 160.0]];

/// Colors of series that have none, in turn.
const COLORS: [[u8; 3]; 6] =
    [[255, 255, 64], [64, 255, 255], [255, 64, 255], [64, 255, 64], [255, 160, 32], [96, 128, 255]];

const FRAME: [u8; 3] = [160; 3];
const WHITE: [u8; 3] = [255; 3];

/// A place of the picture in pixels.
type Pixels = [f32; 2];

impl Engine<'_, '_> {
    /// Does what was asked of the graphs in this update, and draws them if it is the last of the
    /// frame.
    pub(super) fn serve_graphs(&mut self, is_last: bool) {
        let Self { monitoring, world, log, size, memory, .. } = self;
        let lines = world.take_graph_lines();
        if let Some(monitoring) = monitoring {
            let text = core::str::from_utf8(&lines).unwrap_or_default();
            for line in text.lines() {
                let done = monitoring.graphs().command(line);
                if let Err(error) = done {
                    log!(log, Error, "`{line}`: {error}");
                }
            }
        }
        world.give_back_graph_lines(lines);
        let Some(monitoring) = monitoring.filter(|_| is_last) else { return };
        let graphs = monitoring.graphs();
        record_memory(&graphs, memory);
        if graphs.all().iter().all(Graph::is_hidden) {
            return;
        }
        let _scope = current::scope(name!("graphs"));
        let Some(mut pen) = Pen::new(world) else { return };
        let size = size.map(|side| side as f32);
        let mut corner = [SPACE; 2];
        for graph in graphs.all().iter().filter(|graph| !graph.is_hidden()) {
            pen.graph(graph, &mut corner, size);
        }
        if pen.has_failed {
            log!(log, Error, "a part of the graphs is not drawn: no memory; give `entities` more");
        }
    }
}

/// Draws by commands.
struct Pen<'w, 'm> {
    world: &'w mut World<'m>,
    line: CommandBytes<4>,
    text: CommandBytes<3>,
    has_failed: bool,
}

impl<'w, 'm> Pen<'w, 'm> {
    /// Returns what draws, if a subsystem does.
    fn new(world: &'w mut World<'m>) -> Option<Self> {
        let find = |name| world.joined().command_schemas().find(|schema| schema.name == name);
        let line = CommandBytes::new(find(LINE)?, ["x", "y", "to_x", "to_y"])?;
        let text = CommandBytes::new(find(TEXT)?, ["x", "y", "size"])?;
        Some(Self { world, line, text, has_failed: false })
    }

    /// Draws a graph at a corner of the picture, and moves the corner on.
    fn graph(
        &mut self,
        graph: &Graph<'_, SharedAllocator<'_>>,
        corner: &mut Pixels,
        picture: Pixels,
    ) {
        let [width, height] = [0, 1]
            .map(|axis| (picture[axis] * PART[axis]).clamp(SIZES[0][axis], SIZES[1][axis]).round());
        let rows = 1.0 + graph.series().len() as f32;
        let whole = rows * ROW + height + 2.0 * SPACE;
        if corner[1] + whole > picture[1] && corner[1] > SPACE {
            // The next column.
            *corner = [corner[0] + width + 2.0 * SPACE, SPACE];
        }
        let [left, top] = *corner;
        let (least, most) = graph.range().into_inner();
        self.text([left, top], WHITE, format_args!("{}", graph.name()));
        for (number, series) in graph.series().iter().enumerate() {
            let value = series.points().next_back().map_or(0.0, |point| point.value);
            let at = [left, top + (1.0 + number as f32) * ROW];
            let color = series.color().unwrap_or(COLORS[number % COLORS.len()]);
            self.text(at, color, format_args!("{} {value:.3}", series.name()));
        }
        let top = top + rows * ROW;
        let (right, bottom) = (left + width, top + height);
        self.text([left + SPACE, top + SPACE], WHITE, format_args!("{most}"));
        self.text([left + SPACE, bottom - ROW], WHITE, format_args!("{least}"));
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
        self.lines(corners, FRAME);
        for (number, series) in graph.series().iter().enumerate() {
            let color = series.color().unwrap_or(COLORS[number % COLORS.len()]);
            let place = |[x, y]: [f32; 2]| [left + x * width, bottom - y * height];
            self.lines(graph.places(number).map(place), color);
        }
        corner[1] += whole;
    }

    /// Draws lines from each place to the next.
    fn lines(&mut self, places: impl IntoIterator<Item = Pixels>, color: [u8; 3]) {
        self.line.set_color(color);
        let mut last = None;
        for place in places {
            if let Some([x, y]) = last.replace(place) {
                let sent = self.line.send(self.world, [x, y, place[0], place[1]]);
                self.has_failed |= sent.is_err();
            }
        }
    }

    fn text(&mut self, [x, y]: Pixels, color: [u8; 3], text: fmt::Arguments<'_>) {
        let mut short = ShortText { bytes: [0; TEXT_BYTES], len: 0 };
        // What does not fit is left out.
        let _ = short.write_fmt(text);
        self.text.set_color(color);
        self.text.set_text(short.as_str());
        let sent = self.text.send(self.world, [x, y, LETTER]);
        self.has_failed |= sent.is_err();
    }
}

/// The bytes of a command with `N` numbers, by its schema. Fields that are not set are zero.
struct CommandBytes<const N: usize> {
    schema: &'static EventSchema,
    bytes: [u8; EVENT_BYTES_MAX],
    /// Where the numbers are in it.
    numbers: [usize; N],
    color: usize,
    text: Option<usize>,
}

impl<const N: usize> CommandBytes<N> {
    /// Returns the command, if it has such numbers and a color.
    fn new(schema: &'static EventSchema, numbers: [&str; N]) -> Option<Self> {
        let offset = |name: &str, kind: FieldKind| {
            let mut fields = schema.fields.iter();
            Some(fields.find(|field| field.name == name && field.kind == kind)?.offset)
        };
        let mut offsets = [0; N];
        for (place, name) in offsets.iter_mut().zip(numbers) {
            *place = offset(name, FieldKind::Number)?;
        }
        let color = offset("color", FieldKind::Vector3)?;
        let text = offset("text", FieldKind::Text);
        Some(Self { schema, bytes: [0; EVENT_BYTES_MAX], numbers: offsets, color, text })
    }

    fn set_color(&mut self, color: [u8; 3]) {
        let light = color.map(linear);
        self.bytes[self.color..][..12].copy_from_slice(bytemuck::bytes_of(&light));
    }

    fn set_text(&mut self, text: &str) {
        if let Some(at) = self.text {
            let text = EventText::new(text);
            self.bytes[at..][..TEXT_BYTES].copy_from_slice(bytemuck::bytes_of(&text));
        }
    }

    fn send(&mut self, world: &mut World<'_>, numbers: [f32; N]) -> Result<(), EngineError> {
        for (at, number) in self.numbers.into_iter().zip(numbers) {
            self.bytes[at..][..4].copy_from_slice(&number.to_ne_bytes());
        }
        world.command_bytes(self.schema.kind, &self.bytes[..self.schema.bytes])
    }
}

/// Returns a part of a color as light: what is drawn is computed with light.
fn linear(part: u8) -> f32 {
    let part = f32::from(part) / 255.0;
    if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
}

/// A text that is cut where it is full.
struct ShortText {
    bytes: [u8; TEXT_BYTES],
    len: usize,
}

impl ShortText {
    fn as_str(&self) -> &str {
        // Whole characters were copied.
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl fmt::Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = TEXT_BYTES - self.len;
        let len = text.floor_char_boundary(room);
        self.bytes[self.len..][..len].copy_from_slice(&text.as_bytes()[..len]);
        self.len += len;
        if len == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}
