//! The file of strategies: reading, errors, writing.

use core::error::Error;
use core::fmt;

use loligo_allocators::PageAllocator;
use loligo_sjson::Options;
use serde::{Deserialize, Serialize};

use super::StrategyConfig;

/// How the names of files end that are read as SJSON.
const SJSON: &str = ".sjson";

/// The file: `{"strategies": [..]}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    strategies: Vec<StrategyConfig>,
}

#[derive(Serialize)]
struct Written<'a> {
    strategies: &'a [StrategyConfig],
}

/// A file of strategies that cannot be used.
#[derive(Debug)]
pub struct StrategyError {
    /// The file.
    pub file: String,
    /// What is wrong; for a fault in the text with line and column.
    pub what: String,
}

impl fmt::Display for StrategyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; see docs/reference/strategies.md", self.file, self.what)
    }
}

impl Error for StrategyError {}

/// Reads the strategies of a file, of SJSON if its name ends in `.sjson`, else of JSON; `file` is
/// in errors.
///
/// # Errors
///
/// [`StrategyError`] with line and column for a text that is not a valid list of strategies.
///
/// # Examples
///
/// ```
/// use loligo_replay::strategies::parse;
///
/// let text = r#"{"strategies": [{
///     "name": "nodes",
///     "tree": {"by-size": {
///         "classes": [{"up_to": 48, "to": {"pool": {"bytes": 48}}}],
///         "rest": {"heap": {}}
///     }}
/// }]}"#;
/// assert_eq!(parse("mine.json", text)?[0].name, "nodes");
/// let error = parse("mine.json", r#"{"strategy": []}"#).unwrap_err();
/// assert!(error.to_string().contains("line 1 column 11"));
///
/// let text = r#"strategies = [ { name = "plain" tree = { heap = {} } } ] // as it is"#;
/// assert_eq!(parse("mine.sjson", text)?[0].name, "plain");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(file: &str, text: &str) -> Result<Vec<StrategyConfig>, StrategyError> {
    let fail = |what: String| StrategyError { file: file.to_owned(), what };
    let document = if file.ends_with(SJSON) { from_sjson(text) } else { from_json(text) };
    let document = document.map_err(&fail)?;
    if document.strategies.is_empty() {
        return Err(fail("`strategies` is empty; name one at least".to_owned()));
    }
    for (index, strategy) in document.strategies.iter().enumerate() {
        if document.strategies[..index].iter().any(|other| other.name == strategy.name) {
            return Err(fail(format!(
                "two strategies have the `name` `{}`; give one another",
                strategy.name
            )));
        }
    }
    Ok(document.strategies)
}

fn from_json(text: &str) -> Result<Document, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn from_sjson(text: &str) -> Result<Document, String> {
    // What strings with escapes are put together in.
    let memory = PageAllocator::new("strategies");
    loligo_sjson::serde::from_bytes_in(text.as_bytes(), &Options::SJSON, &memory)
        .map_err(|error| error.to_string())
}

/// Returns strategies as the text of a file that [`parse`] reads.
///
/// # Examples
///
/// ```
/// use loligo_replay::strategies::{built_in, parse, to_json};
///
/// assert_eq!(parse("built in", &to_json(&built_in()))?, built_in());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn to_json(strategies: &[StrategyConfig]) -> String {
    // Only a map without string keys can fail, and there is none.
    let mut text = serde_json::to_string_pretty(&Written { strategies }).unwrap_or_default();
    text.push('\n');
    text
}
