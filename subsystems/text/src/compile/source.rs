//! The texts of a source, with their places.

use std::borrow::ToOwned as _;
use std::collections::BTreeSet;
use std::format;
use std::string::String;
use std::vec::Vec;

use loligo_compiler::{CompileError, Property, PropertyValue, is_language};

use super::message::{Message, NAMES, is_name};
use crate::plural::{PluralCategory, PluralRule};
use crate::strings::TEXT_BYTES_MAX;

/// The language of a source that says none.
const LANGUAGE: &str = "en";

/// The key of an object that is a text with forms, and no group: the name of the placeholder that
/// chooses.
const BY: &str = "by";

/// A text of a source.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// Its key within the source: the keys of its groups and its own, with dots between.
    pub key: String,
    /// Line and column of the text.
    pub place: (u32, u32),
    /// The name of the placeholder whose number chooses the form, of a text with several.
    pub by: Option<String>,
    /// Its forms in the order of their categories; `other` alone of a text with one.
    pub forms: Vec<(PluralCategory, Message)>,
}

impl SourceText {
    /// Returns the names of all values that it can show, or is chosen by.
    #[must_use]
    pub fn placeholders(&self) -> BTreeSet<&str> {
        let shown = self.forms.iter().flat_map(|(_, form)| form.placeholders());
        shown.chain(self.by.as_deref()).collect()
    }
}

/// The texts of a source.
#[derive(Clone, Debug)]
pub struct SourceTexts {
    /// The code of their language.
    pub language: String,
    /// The rule of its plurals; `None` if it is not known, and no text has forms.
    pub rule: Option<PluralRule>,
    /// The texts, in the order of the source.
    pub texts: Vec<SourceText>,
}

impl SourceTexts {
    /// Reads a source, whose file name has some properties: one of them may be its language.
    ///
    /// # Errors
    ///
    /// [`CompileError`] names the place, the reason and the remedy.
    pub fn read(source: &Property, properties: &[impl AsRef<str>]) -> Result<Self, CompileError> {
        source.allow(&["language", "texts"])?;
        let variant = properties.iter().map(AsRef::as_ref).find(|property| is_language(property));
        let language = match source.get("language") {
            None => variant.unwrap_or(LANGUAGE),
            Some(code) => {
                let text = code.string()?;
                if !is_language(text) {
                    let reason = format!("`{text}` is no language");
                    let remedy =
                        "write a code of two letters, as `fr`, or one with a country, as `pt-br`";
                    return Err(code.error(reason, remedy));
                }
                if variant.is_some_and(|variant| variant != text) {
                    let reason = format!("it is `{text}`, and the file's name says another");
                    return Err(code.error(reason, "leave it out"));
                }
                text
            }
        };
        let rule = PluralRule::of_language(language);
        let mut read = Self { language: language.to_owned(), rule, texts: Vec::new() };
        let texts = source.need("texts", "write `texts = { start = \"Start\" }`")?;
        read.add_group(texts, "")?;
        Ok(read)
    }

    /// Returns the text of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&SourceText> {
        self.texts.iter().find(|text| text.key == key)
    }

    fn add_group(&mut self, group: &Property, prefix: &str) -> Result<(), CompileError> {
        let members = group.members()?;
        for (at, member) in members.iter().enumerate() {
            let key = member.key();
            if key.is_empty() || key.contains(['.', '/']) || key.chars().any(char::is_whitespace) {
                let reason = format!("`{key}` is no key of a text");
                let remedy =
                    "name it without dots, slashes and spaces; a group is an object of texts";
                return Err(member.error(reason, remedy));
            }
            if members[..at].iter().any(|other| other.key() == key) {
                return Err(member.error(format!("the key `{key}` comes twice"), "remove one"));
            }
            let key = format!("{prefix}{key}");
            match member.value() {
                PropertyValue::Object(_) if member.get(BY).is_none() => {
                    self.add_group(member, &format!("{key}."))?;
                }
                PropertyValue::Object(_) => {
                    let text = self.read_forms(key, member)?;
                    self.texts.push(text);
                }
                _ => {
                    let forms = Vec::from([(PluralCategory::Other, message(member)?)]);
                    let place = member.place();
                    self.texts.push(SourceText { key, place, by: None, forms });
                }
            }
        }
        Ok(())
    }

    /// Reads a text with forms.
    fn read_forms(&self, key: String, text: &Property) -> Result<SourceText, CompileError> {
        let names = PluralCategory::ALL.map(PluralCategory::name);
        let mut keys = Vec::from([BY]);
        keys.extend(names);
        text.allow(&keys)?;
        let by = text.need(BY, "name the placeholder of the number: `by = \"count\"`")?;
        if !is_name(by.string()?) {
            return Err(by.error(format!("`{}` is no placeholder", by.string()?), NAMES));
        }
        let language = &self.language;
        let Some(rule) = self.rule else {
            let reason = format!("the plurals of `{language}` are not known");
            let remedy = "write one text that is for all numbers, or set `language` to one with the same plurals";
            return Err(text.error(reason, remedy));
        };
        let mut forms = Vec::new();
        for category in PluralCategory::ALL {
            match text.get(category.name()) {
                Some(form) if !rule.has(category) => {
                    let has = |category: &PluralCategory| rule.has(*category);
                    let has = PluralCategory::ALL.into_iter().filter(has);
                    let has: Vec<&str> = has.map(PluralCategory::name).collect();
                    let reason = format!("`{language}` has no form `{category}`");
                    return Err(form.error(reason, format!("its forms are {}", has.join(", "))));
                }
                Some(form) => forms.push((category, message(form)?)),
                None if rule.needs(category) => {
                    let reason =
                        format!("the form `{category}` is missing, which `{language}` has");
                    let remedy =
                        format!("add `{category} = \"..\"`, for {}", examples(rule, category));
                    return Err(text.error(reason, remedy));
                }
                None => {}
            }
        }
        Ok(SourceText { key, place: text.place(), by: Some(by.string()?.to_owned()), forms })
    }
}

/// Reads a form of a text.
fn message(form: &Property) -> Result<Message, CompileError> {
    let text = form.string()?;
    if text.len() > TEXT_BYTES_MAX {
        let reason = format!("the text has {} bytes", text.len());
        return Err(form.error(reason, format!("split it; {TEXT_BYTES_MAX} are the most")));
    }
    Message::parse(text).map_err(|(reason, remedy)| form.error(reason, remedy))
}

/// Returns some numbers that have a form.
fn examples(rule: PluralRule, category: PluralCategory) -> String {
    let has = |number: &u64| rule.category(&crate::plural::Operands::of_whole(*number)) == category;
    let some: Vec<String> =
        (0..=200).filter(has).take(4).map(|number| format!("{number}")).collect();
    match &some[..] {
        [] => "fractions".to_owned(),
        some => some.join(", "),
    }
}
