//! Formulas of a source, compiled to bytecode.

use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CompileError, Property, PropertyValue};
use loligo_expressions::{Expression, Symbols};

use crate::machine::STATE_VARIABLES;

/// The formulas of a machine, each once.
#[derive(Debug)]
pub(super) struct Formulas {
    starts: Vec<u32>,
    words: Vec<u32>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self { starts: vec![0], words: Vec::new() }
    }
}

impl Formulas {
    /// Returns where the words of each begin, and the words.
    pub(super) fn lists(&self) -> (&[u32], &[u32]) {
        (&self.starts, &self.words)
    }

    /// Adds the formula of a property, a number or a text; `default` where there is none. Returns its
    /// number.
    pub(super) fn add(
        &mut self,
        property: Option<&Property>,
        default: f32,
        variables: &[(String, f32)],
    ) -> Result<u16, CompileError> {
        let text = match property.map(Property::value) {
            None => default.to_string(),
            Some(PropertyValue::Number(number)) => (*number as f32).to_string(),
            Some(PropertyValue::String(text)) => text.clone(),
            Some(_) => {
                let Some(property) = property else { return Ok(0) };
                let remedy = "write a number, or a formula in quotes: `\"speed > 0.1\"`";
                return Err(property.expected("a formula", remedy));
            }
        };
        let words = compiled(&text, variables).map_err(|(place, reason, remedy)| {
            let error = CompileError::new(reason, remedy);
            let Some(property) = property else { return error };
            let (line, column) = property.place();
            match place {
                // The text begins after a quote.
                (1, within) => error.at(line, column + within),
                (lines, within) => error.at(line + lines - 1, within),
            }
        })?;
        let known = self.starts.windows(2).position(|bounds| {
            let [start, end] = [bounds[0], bounds[1]].map(|at| at as usize);
            self.words[start..end] == words
        });
        if let Some(known) = known {
            return Ok(known as u16);
        }
        self.words.extend(words);
        self.starts.push(self.words.len() as u32);
        Ok((self.starts.len() - 2) as u16)
    }
}

/// Returns the words of a formula; or line and column, what is wrong, and what to do.
fn compiled(
    text: &str,
    variables: &[(String, f32)],
) -> Result<Vec<u32>, ((u32, u32), String, String)> {
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new("compiler", &pages);
    let names: Vec<&str> =
        variables.iter().map(|(name, _)| &**name).chain(STATE_VARIABLES).collect();
    let symbols = Symbols { variables: &names, ..Symbols::default() };
    match Expression::try_compile(text, &symbols, &heap) {
        Ok(expression) => Ok(expression.bytecode().words().to_vec()),
        Err(error) => {
            let place = (error.line() as u32, error.column() as u32);
            let whole = error.to_string();
            let first = whole.lines().next().unwrap_or_default();
            let first = first.strip_prefix(&format!("{}:{}: ", place.0, place.1)).unwrap_or(first);
            let (reason, remedy) = first.split_once("; ").unwrap_or((first, "change the formula"));
            Err((place, reason.to_string(), remedy.to_string()))
        }
    }
}
