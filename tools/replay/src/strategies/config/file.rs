//! The file of strategies: reading, errors, writing.

use core::error::Error;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::StrategyConfig;

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
    /// What is wrong; for a fault in the JSON with line and column.
    pub what: String,
}

impl fmt::Display for StrategyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; see docs/strategies.md", self.file, self.what)
    }
}

impl Error for StrategyError {}

/// Reads the strategies of a JSON file; `file` stands in errors.
///
/// # Errors
///
/// [`StrategyError`] with line and column for what is no valid list of strategies.
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
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(file: &str, text: &str) -> Result<Vec<StrategyConfig>, StrategyError> {
    let fail = |what: String| StrategyError { file: file.to_owned(), what };
    let document: Document = serde_json::from_str(text).map_err(|error| fail(error.to_string()))?;
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
    // What can fail is a map without string keys, of which there is none.
    let mut text = serde_json::to_string_pretty(&Written { strategies }).unwrap_or_default();
    text.push('\n');
    text
}
