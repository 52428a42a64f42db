//! Lines of text that make, feed and range graphs.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::error::{GraphError, GraphErrorKind};

use super::series::{Series, Source, Sum};
use super::{Graph, Graphs, HISTORY, try_history};

/// The longest name in bytes.
const NAME_BYTES_MAX: usize = 128;

/// The colors that have names.
const COLORS: [(&str, [u8; 3]); 9] = [
    ("red", [255, 64, 64]),
    ("green", [64, 255, 64]),
    ("blue", [96, 128, 255]),
    ("yellow", [255, 255, 64]),
    ("cyan", [64, 255, 255]),
    ("magenta", [255, 64, 255]),
    ("orange", [255, 160, 32]),
    ("white", [255, 255, 255]),
    ("gray", [160, 160, 160]),
];

/// Does what `line` says.
pub(super) fn run<A: Allocator + ?Sized>(
    graphs: &mut Graphs<'_, A>,
    line: &str,
) -> Result<(), GraphError> {
    let mut words = Words { line, at: 0 };
    let graph = words.next()?;
    if graph.text != "graph" {
        return Err(graph.error(GraphErrorKind::Command));
    }
    let command = words.next()?;
    match command.text {
        "make" => make(graphs, &mut words),
        "add" => add(graphs, &mut words, &[Source::Value]),
        "add_vector3" => {
            add(graphs, &mut words, &[Source::Part(0), Source::Part(1), Source::Part(2)])
        }
        "add_scope" => add(graphs, &mut words, &[Source::Scope]),
        "add_heap" => add(graphs, &mut words, &[Source::Heap]),
        "hide" | "show" => {
            let index = known(graphs, words.next()?)?;
            words.end()?;
            graphs.graphs[index].is_hidden = command.text == "hide";
            Ok(())
        }
        "range" => range(graphs, &mut words),
        "history" => history(graphs, &mut words),
        "remove" => {
            let index = known(graphs, words.next()?)?;
            words.end()?;
            graphs.graphs.remove(index);
            Ok(())
        }
        _ => Err(command.error(GraphErrorKind::Command)),
    }
}

fn make<A: Allocator + ?Sized>(
    graphs: &mut Graphs<'_, A>,
    words: &mut Words<'_>,
) -> Result<(), GraphError> {
    let name = words.name()?;
    words.end()?;
    if graphs.get(name.text).is_some() {
        return Err(name.error(GraphErrorKind::Exists));
    }
    if graphs.graphs.len() >= graphs.limits.graphs as usize {
        return Err(name.error(GraphErrorKind::Graphs));
    }
    let made = || {
        Ok(Graph {
            name: text(name.text, graphs.memory)?,
            series: Array::try_with_capacity_in(graphs.limits.series as usize, graphs.memory)?,
            range: None,
            history: HISTORY.clamp(1, graphs.limits.history_max.max(1)),
            is_hidden: false,
        })
    };
    let pushed = made().and_then(|graph| graphs.graphs.try_push(graph));
    pushed.map_err(|_: GrowError| name.error(GraphErrorKind::Memory))
}

fn add<A: Allocator + ?Sized>(
    graphs: &mut Graphs<'_, A>,
    words: &mut Words<'_>,
    sources: &[Source],
) -> Result<(), GraphError> {
    let index = known(graphs, words.next()?)?;
    let name = words.name()?;
    // Parts of a vector need a color each.
    let color = if sources.len() == 1 { words.color()? } else { None };
    words.end()?;
    let (series_max, memory) = (graphs.limits.series as usize, graphs.memory);
    let graph = &mut graphs.graphs[index];
    let before = graph.series.len();
    if before + sources.len() > series_max {
        return Err(name.error(GraphErrorKind::Series));
    }
    for &source in sources {
        let made = || {
            let (name, points) = (text(name.text, memory)?, try_history(graph.history, memory)?);
            let (history, sum) = (graph.history, Sum::default());
            Ok(Series { name, source, color, points, history, sum })
        };
        if made().and_then(|series| graph.series.try_push(series)).is_err() {
            graph.series.truncate(before);
            return Err(name.error(GraphErrorKind::Memory));
        }
    }
    Ok(())
}

fn range<A: Allocator + ?Sized>(
    graphs: &mut Graphs<'_, A>,
    words: &mut Words<'_>,
) -> Result<(), GraphError> {
    let index = known(graphs, words.next()?)?;
    let least = words.next()?;
    if least.text == "auto" {
        words.end()?;
        graphs.graphs[index].range = None;
        return Ok(());
    }
    let most = words.next()?;
    words.end()?;
    let [from, to] = [number(least)?, number(most)?];
    if from >= to {
        return Err(least.error(GraphErrorKind::Range));
    }
    graphs.graphs[index].range = Some([from, to]);
    Ok(())
}

fn history<A: Allocator + ?Sized>(
    graphs: &mut Graphs<'_, A>,
    words: &mut Words<'_>,
) -> Result<(), GraphError> {
    let index = known(graphs, words.next()?)?;
    let count = words.next()?;
    words.end()?;
    let history = count.text.parse().map_err(|_| count.error(GraphErrorKind::Number))?;
    if history == 0 || history > graphs.limits.history_max {
        return Err(count.error(GraphErrorKind::Number));
    }
    let memory = graphs.memory;
    let graph = &mut graphs.graphs[index];
    let refused = |_: GrowError| count.error(GraphErrorKind::Memory);
    let mut fresh = Array::try_with_capacity_in(graph.series.len(), memory).map_err(refused)?;
    for _ in 0..graph.series.len() {
        fresh.try_push(try_history(history, memory).map_err(refused)?).map_err(refused)?;
    }
    for (series, points) in graph.series.iter_mut().zip(fresh) {
        (series.points, series.history) = (points, history);
    }
    graph.history = history;
    Ok(())
}

/// Returns the index of the graph that a word names.
fn known<A: Allocator + ?Sized>(
    graphs: &Graphs<'_, A>,
    word: Word<'_>,
) -> Result<usize, GraphError> {
    let is_it = |graph: &Graph<'_, A>| graph.name() == word.text;
    graphs.graphs.iter().position(is_it).ok_or_else(|| word.error(GraphErrorKind::Unknown))
}

/// Returns the color of six digits.
fn hexadecimal(digits: &str) -> Option<[u8; 3]> {
    let is_digit = |byte: u8| byte.is_ascii_hexdigit();
    let number = (digits.len() == 6 && digits.bytes().all(is_digit))
        .then(|| u32::from_str_radix(digits, 16).ok())??;
    let [_, red, green, blue] = number.to_be_bytes();
    Some([red, green, blue])
}

fn number(word: Word<'_>) -> Result<f32, GraphError> {
    let number = word.text.parse::<f32>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| word.error(GraphErrorKind::Number))
}

fn text<'a, A: Allocator + ?Sized>(
    text: &str,
    memory: &'a A,
) -> Result<Array<'a, u8, A>, GrowError> {
    let mut bytes = Array::try_with_capacity_in(text.len(), memory)?;
    bytes.try_extend_from_slice(text.as_bytes())?;
    Ok(bytes)
}

/// A word of a line, and where it begins.
#[derive(Clone, Copy)]
struct Word<'l> {
    text: &'l str,
    at: usize,
}

impl Word<'_> {
    fn error(self, kind: GraphErrorKind) -> GraphError {
        GraphError { kind, column: u32::try_from(self.at + 1).unwrap_or(u32::MAX) }
    }
}

/// The words of a line, those in quotes whole.
struct Words<'l> {
    line: &'l str,
    at: usize,
}

impl<'l> Words<'l> {
    /// Returns the next word.
    fn next(&mut self) -> Result<Word<'l>, GraphError> {
        let rest = self.skip_space();
        let at = self.at;
        let missing = Word { text: "", at };
        if rest.is_empty() {
            return Err(missing.error(GraphErrorKind::Missing));
        }
        if let Some(quoted) = rest.strip_prefix('"') {
            let Some(len) = quoted.find('"') else {
                return Err(missing.error(GraphErrorKind::Quote));
            };
            self.at += len + 2;
            return Ok(Word { text: &quoted[..len], at });
        }
        let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at += len;
        Ok(Word { text: &rest[..len], at })
    }

    /// Returns the next word if it can be a name.
    fn name(&mut self) -> Result<Word<'l>, GraphError> {
        let name = self.next()?;
        match name.text.len() {
            1..=NAME_BYTES_MAX => Ok(name),
            _ => Err(name.error(GraphErrorKind::Name)),
        }
    }

    /// Returns the color that the next word is, if there is a word.
    fn color(&mut self) -> Result<Option<[u8; 3]>, GraphError> {
        if self.skip_space().is_empty() {
            return Ok(None);
        }
        let word = self.next()?;
        let named = COLORS.iter().find(|(name, _)| *name == word.text).map(|(_, color)| *color);
        let color = named.or_else(|| hexadecimal(word.text.strip_prefix('#')?));
        color.map(Some).ok_or_else(|| word.error(GraphErrorKind::Color))
    }

    /// Sees to it that there are no more words.
    fn end(&mut self) -> Result<(), GraphError> {
        match self.skip_space() {
            "" => Ok(()),
            _ => Err(Word { text: "", at: self.at }.error(GraphErrorKind::TooMany)),
        }
    }

    fn skip_space(&mut self) -> &'l str {
        let rest = &self.line[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }
}
