//! Reading a frame's description.

use core::ops::Range;

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_sjson::{NodeKind, Options, SyntaxNode, SyntaxTree};

use crate::frame::{
    COLORS_MAX, Clear, FrameDescription, FrameError, FrameErrorKind, LAYERS_MAX, Layer, LayerRef,
    LayerTakes, Name, PASSES_MAX, Pass, Span, TARGETS_MAX, Target, TargetFormat, TargetSize,
    WINDOW,
};
use crate::key::{LayerKeys, Order};

mod views;

type Read<'t, T> = Result<T, FrameError<'t>>;

/// The keys that an object may have.
struct Keys {
    of: &'static str,
    all: &'static [&'static str],
    listed: &'static str,
}

const FRAME: Keys =
    Keys { of: "a frame", all: &["targets", "views", "passes"], listed: "targets, views, passes" };
const TARGET: Keys = Keys {
    of: "a target",
    all: &["format", "scale", "size", "samples"],
    listed: "format, scale, size, samples",
};
const PASS: Keys = Keys {
    of: "a pass",
    all: &["name", "view", "color", "depth", "clear", "reads", "layers"],
    listed: "name, view, color, depth, clear, reads, layers",
};
const CLEAR: Keys = Keys { of: "clear", all: &["color", "depth"], listed: "color, depth" };
const LAYER: Keys = Keys {
    of: "a layer",
    all: &["name", "order", "takes", "material"],
    listed: "name, order, takes, material",
};

/// The most pixels that a target may be wide or high.
const PIXELS_MAX: f64 = 16_384.0;

pub(super) fn read<'t, 'a, A: Allocator + ?Sized>(
    text: &'t [u8],
    memory: &'a A,
) -> Read<'t, FrameDescription<'a, A>> {
    let tree = SyntaxTree::try_parse_in(text, &Options::SJSON, memory)?;
    let frame = FrameDescription {
        targets: Array::new_in(memory),
        views: Array::new_in(memory),
        passes: Array::new_in(memory),
        layers: Array::new_in(memory),
        keys: Array::new_in(memory),
        name_count: 0,
        uses: Array::new_in(memory),
        names: Array::new_in(memory),
    };
    let mut reader = Reader { text: tree.text(), frame };
    reader.frame(tree.root())?;
    Ok(reader.frame)
}

struct Reader<'t, 'a, A: Allocator + ?Sized> {
    text: &'t str,
    frame: FrameDescription<'a, A>,
}

impl<'t, A: Allocator + ?Sized> Reader<'t, '_, A> {
    fn frame(&mut self, root: SyntaxNode<'_>) -> Read<'t, ()> {
        let [targets, views, passes] = self.members(root, &FRAME)?;
        let name = self.keep_name(WINDOW)?;
        let size = TargetSize::Scale(1.0);
        self.frame.targets.try_push(Target { name, format: None, size, samples: 1 })?;
        if let Some(targets) = targets {
            self.expect(targets, NodeKind::Object, "an object of targets")?;
            for target in targets.children() {
                self.target(target)?;
            }
        }
        self.views(views)?;
        let passes = self.required(root, passes, &FRAME, "passes")?;
        self.expect(passes, NodeKind::Array, "an array of passes")?;
        for pass in passes.children() {
            self.pass(pass)?;
        }
        self.keys()
    }

    /// Makes the table of the keys of layers.
    fn keys(&mut self) -> Read<'t, ()> {
        let frame = &mut self.frame;
        let names = usize::from(frame.name_count);
        frame.keys.try_resize(names * frame.views.len(), None)?;
        for (number, layer) in frame.layers.iter().enumerate().filter(|(_, own)| own.is_plain()) {
            let view = usize::from(frame.passes[usize::from(layer.pass)].view);
            let keys = LayerKeys::new(number as u8, layer.order);
            frame.keys[view * names + usize::from(layer.name_number)] = Some(keys);
        }
        Ok(())
    }

    fn target(&mut self, node: SyntaxNode<'_>) -> Read<'t, ()> {
        let key = node.key_span().unwrap_or_default();
        let key = trimmed(self.text, key);
        let found = &self.text[key.clone()];
        if self.frame.targets().any(|target| target.name == found) {
            return Err(self.error(key, FrameErrorKind::NameTwice("targets")));
        }
        self.may_add(key.clone(), self.frame.targets.len(), "targets", TARGETS_MAX)?;
        let [format, scale, size, samples] = self.members(node, &TARGET)?;
        let format = self.required(node, format, &TARGET, "format")?;
        let format = self.word(
            format,
            &TargetFormat::ALL.map(|format| (format.name(), format)),
            "a format: r8, rgba8, rgba8_srgb, rg16f, rgba16f, r32f, depth32f",
        )?;
        let size = match (scale, size) {
            (None, None) => TargetSize::Scale(1.0),
            (Some(scale), None) => {
                let scale = self.number(scale, 1.0 / 64.0..4.0, "a scale from 1/64 to 4")?;
                TargetSize::Scale(scale as f32)
            }
            (None, Some(size)) => {
                let what = "whole numbers from 1 to 16384, as in [ 1024 512 ]";
                let pixels: [f64; 2] = self.numbers(size, 1.0..PIXELS_MAX, what)?;
                if pixels.iter().any(|pixels| *pixels != f64::from(*pixels as u32)) {
                    return Err(self.error(size.span(), FrameErrorKind::Expected(what)));
                }
                TargetSize::Pixels(pixels.map(|pixels| pixels as u32))
            }
            (Some(_), Some(size)) => {
                let kind = FrameErrorKind::Expected("a scale or a size and not both");
                return Err(self.error(size.span(), kind));
            }
        };
        let samples = samples.map_or(Ok(1), |samples| self.samples(samples))?;
        let name = self.name_at(key)?;
        self.frame.targets.try_push(Target { name, format: Some(format), size, samples })?;
        Ok(())
    }

    /// Reads a number of samples: those that every graphics card has.
    fn samples(&self, node: SyntaxNode<'_>) -> Read<'t, u8> {
        let what = "1 or 4 samples a pixel";
        match self.number(node, 1.0..4.0, what)? {
            1.0 => Ok(1),
            4.0 => Ok(4),
            _ => Err(self.error(node.span(), FrameErrorKind::Expected(what))),
        }
    }

    fn pass(&mut self, node: SyntaxNode<'_>) -> Read<'t, ()> {
        let [name, view, colors, depth, clear, reads, layers] = self.members(node, &PASS)?;
        let name = self.required(node, name, &PASS, "name")?;
        let place = self.string(name)?;
        if self.frame.passes().any(|pass| pass.name == &self.text[place.clone()]) {
            return Err(self.error(place, FrameErrorKind::NameTwice("passes")));
        }
        self.may_add(place.clone(), self.frame.passes.len(), "passes", PASSES_MAX)?;
        let name = self.name_at(place)?;
        let view = view.map_or(Ok(0), |view| self.view_named(view))?;
        let colors = match colors {
            Some(colors) => self.colors(colors)?,
            None => Span::default(),
        };
        let depth = depth.map(|depth| self.depth(depth, colors)).transpose()?;
        if colors.len == 0 && depth.is_none() {
            return Err(self.error(node.span(), FrameErrorKind::NoColors));
        }
        let clear = match clear {
            Some(clear) => self.clear(clear, colors, depth)?,
            None => Clear::default(),
        };
        let reads = match reads {
            Some(reads) => self.reads(reads, colors, depth)?,
            None => Span::default(),
        };
        let start = self.frame.layers.len() as u16;
        if let Some(layers) = layers {
            self.expect(layers, NodeKind::Array, "an array of layers")?;
            for layer in layers.children() {
                self.layer(layer, view)?;
            }
        }
        let layers = Span { start, len: self.frame.layers.len() as u16 - start };
        self.frame.passes.try_push(Pass { name, colors, reads, layers, depth, view, clear })?;
        Ok(())
    }

    fn layer(&mut self, node: SyntaxNode<'_>, view: u8) -> Read<'t, ()> {
        let [name, order, takes, material] = self.members(node, &LAYER)?;
        let name = self.required(node, name, &LAYER, "name")?;
        let place = self.string(name)?;
        let found = &self.text[place.clone()];
        // The pass of those that are read now is not in the list yet.
        let view_of = |layer: &LayerRef<'_>| {
            self.frame.passes.get(usize::from(layer.pass)).map_or(view, |pass| pass.view)
        };
        if self.frame.layers().any(|layer| layer.name == found && view_of(&layer) == view) {
            return Err(self.error(place, FrameErrorKind::NameTwice("layers of one view")));
        }
        self.may_add(place.clone(), self.frame.layers.len(), "layers", LAYERS_MAX)?;
        let known = self.frame.layer(found).map(|layer| layer.name_number);
        let name = self.name_at(place)?;
        let takes = match takes {
            Some(takes) => {
                let what = "what it takes: own, all that its view sees, or picture";
                self.word(takes, &LayerTakes::ALL, what)?
            }
            None => LayerTakes::Own,
        };
        let material = match material {
            Some(material) => self.name_at(self.string(material)?)?,
            None if takes == LayerTakes::Picture => {
                let of = "a layer that takes the picture";
                let kind = FrameErrorKind::Missing { of, key: "material" };
                return Err(self.error(node.span(), kind));
            }
            None => Name::default(),
        };
        let order = match order {
            // Of one draw there is no order.
            None if takes == LayerTakes::Picture => Order::ByState,
            order => {
                let order = self.required(node, order, &LAYER, "order")?;
                let words = Order::ALL.map(|order| (order.name(), order));
                self.word(order, &words, "an order: front_to_back, back_to_front, by_state")?
            }
        };
        let name_number = known.unwrap_or(self.frame.name_count as u8);
        self.frame.name_count += u16::from(known.is_none());
        let pass = self.frame.passes.len() as u8;
        self.frame.layers.try_push(Layer { name, material, name_number, pass, order, takes })?;
        Ok(())
    }

    fn colors(&mut self, node: SyntaxNode<'_>) -> Read<'t, Span> {
        let span = self.targets(node, COLORS_MAX)?;
        for (number, node) in self.frame.used(span).iter().zip(node.children()) {
            let target = self.frame.targets[usize::from(*number)];
            if target.format.is_some_and(TargetFormat::is_depth) {
                return Err(self.error(inner(node), FrameErrorKind::IsDepth));
            }
            self.as_large(node, *number, span)?;
        }
        Ok(span)
    }

    fn depth(&self, node: SyntaxNode<'_>, colors: Span) -> Read<'t, u16> {
        let number = self.target_named(node)?;
        let target = self.frame.targets[usize::from(number)];
        if !target.format.is_some_and(TargetFormat::is_depth) {
            return Err(self.error(inner(node), FrameErrorKind::IsColor));
        }
        self.as_large(node, number, colors)?;
        Ok(number)
    }

    /// Checks that a target is as large as the first color of a pass, and has as many samples.
    fn as_large(&self, node: SyntaxNode<'_>, number: u16, colors: Span) -> Read<'t, ()> {
        let Some(first) = self.frame.used(colors).first() else { return Ok(()) };
        let [first, own] = [*first, number].map(|number| self.frame.targets[usize::from(number)]);
        if first.size != own.size {
            return Err(self.error(inner(node), FrameErrorKind::Sizes));
        }
        if first.samples != own.samples {
            return Err(self.error(inner(node), FrameErrorKind::Samples));
        }
        Ok(())
    }

    fn clear(
        &self,
        node: SyntaxNode<'_>,
        colors: Span,
        into_depth: Option<u16>,
    ) -> Read<'t, Clear> {
        let [color, depth] = self.members(node, &CLEAR)?;
        for (node, is_there) in [(color, colors.len > 0), (depth, into_depth.is_some())] {
            if let Some(node) = node
                && !is_there
            {
                let key = node.key_span().unwrap_or_default();
                return Err(self.error(trimmed(self.text, key), FrameErrorKind::NothingToClear));
            }
        }
        let what = "four numbers: red, green, blue and opacity, as in [ 0 0 0 1 ]";
        let color =
            color.map(|color| self.numbers(color, -65_504.0..65_504.0, what)).transpose()?;
        let depth =
            depth.map(|depth| self.number(depth, 0.0..1.0, "a depth from 0 to 1")).transpose()?;
        let color: Option<[f64; 4]> = color;
        Ok(Clear {
            color: color.map(|color| color.map(|part| part as f32)),
            depth: depth.map(|depth| depth as f32),
        })
    }

    fn reads(&mut self, node: SyntaxNode<'_>, colors: Span, depth: Option<u16>) -> Read<'t, Span> {
        let span = self.targets(node, TARGETS_MAX)?;
        for (number, node) in self.frame.used(span).iter().zip(node.children()) {
            let draws = |colors: Span, depth: Option<u16>| {
                depth == Some(*number) || self.frame.used(colors).contains(number)
            };
            let kind = if *number == 0 {
                FrameErrorKind::ReadWindow
            } else if draws(colors, depth) {
                FrameErrorKind::ReadWhileDrawn
            } else if self.is_sampled_depth(*number) {
                FrameErrorKind::ReadSamples
            } else if !self.frame.passes.iter().any(|pass| draws(pass.colors, pass.depth)) {
                FrameErrorKind::ReadTooEarly
            } else {
                continue;
            };
            return Err(self.error(inner(node), kind));
        }
        Ok(span)
    }

    /// Returns `true` if a target holds several depths a pixel, of which no mean is made.
    fn is_sampled_depth(&self, number: u16) -> bool {
        let target = self.frame.targets[usize::from(number)];
        target.samples > 1 && target.format.is_some_and(TargetFormat::is_depth)
    }

    /// Reads a list of targets' names.
    fn targets(&mut self, node: SyntaxNode<'_>, max: usize) -> Read<'t, Span> {
        self.expect(node, NodeKind::Array, "an array of names of targets")?;
        let start = self.frame.uses.len();
        for (count, target) in node.children().enumerate() {
            self.may_add(inner(target), count, "targets", max)?;
            let number = self.target_named(target)?;
            if self.frame.uses[start..].contains(&number) {
                return Err(self.error(inner(target), FrameErrorKind::TargetTwice));
            }
            self.frame.uses.try_push(number)?;
        }
        // Passes are few and so are the targets of each: the sum fits 16 bits.
        Ok(Span { start: start as u16, len: (self.frame.uses.len() - start) as u16 })
    }

    fn target_named(&self, node: SyntaxNode<'_>) -> Read<'t, u16> {
        let place = self.string(node)?;
        let name = &self.text[place.clone()];
        let found = self.frame.targets().find(|target| target.name == name);
        found.map(|target| target.number).ok_or(self.error(place, FrameErrorKind::NoTarget))
    }

    /// Returns the values of an object's keys, in the order of `keys`.
    fn members<'s, const N: usize>(
        &self,
        node: SyntaxNode<'s>,
        keys: &Keys,
    ) -> Read<'t, [Option<SyntaxNode<'s>>; N]> {
        self.expect(node, NodeKind::Object, "an object, as in { key = value }")?;
        let mut found = [None; N];
        for child in node.children() {
            let place = trimmed(self.text, child.key_span().unwrap_or_default());
            let Some(at) = keys.all.iter().position(|key| *key == &self.text[place.clone()]) else {
                let kind = FrameErrorKind::Key { of: keys.of, keys: keys.listed };
                return Err(self.error(place, kind));
            };
            if found[at].replace(child).is_some() {
                return Err(self.error(place, FrameErrorKind::KeyTwice));
            }
        }
        Ok(found)
    }

    fn required<'s>(
        &self,
        of: SyntaxNode<'_>,
        node: Option<SyntaxNode<'s>>,
        keys: &Keys,
        key: &'static str,
    ) -> Read<'t, SyntaxNode<'s>> {
        node.ok_or_else(|| self.error(of.span(), FrameErrorKind::Missing { of: keys.of, key }))
    }

    fn expect(&self, node: SyntaxNode<'_>, kind: NodeKind, what: &'static str) -> Read<'t, ()> {
        if node.kind() == kind {
            return Ok(());
        }
        Err(self.error(node.span(), FrameErrorKind::Expected(what)))
    }

    /// Returns the range of a name, without its quotes.
    fn string(&self, node: SyntaxNode<'_>) -> Read<'t, Range<usize>> {
        self.expect(node, NodeKind::String, "a name in quotes")?;
        Ok(inner(node))
    }

    fn word<T: Copy>(
        &self,
        node: SyntaxNode<'_>,
        words: &[(&str, T)],
        what: &'static str,
    ) -> Read<'t, T> {
        let place = self.string(node)?;
        let found = words.iter().find(|(word, _)| *word == &self.text[place.clone()]);
        found.map(|(_, value)| *value).ok_or(self.error(place, FrameErrorKind::Expected(what)))
    }

    fn number(&self, node: SyntaxNode<'_>, range: Range<f64>, what: &'static str) -> Read<'t, f64> {
        let number = (node.kind() == NodeKind::Number).then(|| node.text().parse::<f64>().ok());
        number
            .flatten()
            .filter(|number| (range.start..=range.end).contains(number))
            .ok_or_else(|| self.error(node.span(), FrameErrorKind::Expected(what)))
    }

    fn numbers<const N: usize>(
        &self,
        node: SyntaxNode<'_>,
        range: Range<f64>,
        what: &'static str,
    ) -> Read<'t, [f64; N]> {
        let is_right = node.kind() == NodeKind::Array && node.children().count() == N;
        if !is_right {
            return Err(self.error(node.span(), FrameErrorKind::Expected(what)));
        }
        let mut numbers = [0.0; N];
        for (number, node) in numbers.iter_mut().zip(node.children()) {
            *number = self.number(node, range.clone(), what)?;
        }
        Ok(numbers)
    }

    fn may_add(
        &self,
        place: Range<usize>,
        count: usize,
        what: &'static str,
        max: usize,
    ) -> Read<'t, ()> {
        if count < max {
            return Ok(());
        }
        Err(self.error(place, FrameErrorKind::TooMany { what, max: max as u32 }))
    }

    fn name_at(&mut self, place: Range<usize>) -> Read<'t, Name> {
        let text = self.text;
        let name = &text[place.clone()];
        if name.is_empty() || name.contains(['\\', '\n']) {
            return Err(self.error(place, FrameErrorKind::NoName));
        }
        self.keep_name(name)
    }

    fn keep_name(&mut self, name: &str) -> Read<'t, Name> {
        let start = self.frame.names.len() as u32;
        self.frame.names.try_extend_from_slice(name.as_bytes())?;
        Ok(Name { start, len: name.len() as u32 })
    }

    #[cold]
    fn error(&self, place: Range<usize>, kind: FrameErrorKind) -> FrameError<'t> {
        let before = &self.text[..place.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        let column = 1 + before[line_start..].chars().count();
        let (line, column) = (line as u32, column as u32);
        FrameError::Invalid { line, column, found: &self.text[place], kind }
    }
}

/// Returns the range of a string, without its quotes.
fn inner(node: SyntaxNode<'_>) -> Range<usize> {
    let span = node.span();
    let start = span.start + quotes(node.text());
    start..(span.end - quotes(node.text())).max(start)
}

/// Returns the range of a key, without its quotes.
fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let quotes = quotes(&text[span.clone()]);
    span.start + quotes..(span.end - quotes).max(span.start + quotes)
}

/// Returns how many quotes a string begins and ends with.
fn quotes(text: &str) -> usize {
    match text {
        _ if text.starts_with("\"\"\"") => 3,
        _ if text.starts_with('"') => 1,
        _ => 0,
    }
}
