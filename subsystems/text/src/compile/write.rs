//! Writing texts as a blob.

use std::format;
use std::string::String;
use std::vec::Vec;

use loligo_compiler::{CompileError, build_blob};
use loligo_containers::{BlobBuilder, Endian, blob_field};
use loligo_ids::IdString64;

use super::message::Piece;
use super::source::{SourceText, SourceTexts};
use crate::plural::PluralRule;
use crate::strings::{StringsFormImage, StringsImage, StringsPieceImage, StringsTextImage};

/// Tables of texts before they are written.
#[derive(Default)]
struct Draft {
    /// First form, categories and the name of the placeholder that chooses.
    texts: Vec<(u32, u32, [u32; 2])>,
    forms: Vec<[u32; 2]>,
    pieces: Vec<(u32, [u32; 2])>,
    bytes: String,
}

pub(super) fn write(source: &SourceTexts, endian: Endian) -> Result<Vec<u8>, CompileError> {
    let mut sorted: Vec<(IdString64, &SourceText)> =
        source.texts.iter().map(|text| (IdString64::new(&text.key), text)).collect();
    sorted.sort_by_key(|(key, _)| *key);
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (one, other) = (&pair[0].1.key, &pair[1].1);
        let reason = format!("the keys `{one}` and `{}` have the same hash", other.key);
        return Err(CompileError::new(reason, "rename one").at(other.place.0, other.place.1));
    }
    let mut draft = Draft::default();
    sorted.iter().for_each(|(_, text)| draft.add(text));
    let keys: Vec<IdString64> = sorted.iter().map(|(key, _)| *key).collect();
    // Without a rule no text has forms, and any will do.
    let rule = source.rule.unwrap_or(PluralRule::Japanese) as u32;
    build_blob(|memory| {
        let mut builder = BlobBuilder::<StringsImage>::try_new(endian, memory)?;
        let root = builder.root();
        builder.set(root.at(blob_field!(StringsImage, rule)), rule);
        builder.string(root.at(blob_field!(StringsImage, language)), &source.language)?;
        builder.numbers(root.at(blob_field!(StringsImage, keys)), &keys)?;
        let texts = builder.array(root.at(blob_field!(StringsImage, texts)), draft.texts.len())?;
        for (place, (form, categories, by)) in texts.iter().zip(&draft.texts) {
            builder.set(place.at(blob_field!(StringsTextImage, form)), *form);
            builder.set(place.at(blob_field!(StringsTextImage, categories)), *categories);
            builder.set(place.at(blob_field!(StringsTextImage, by)), *by);
        }
        let forms = builder.array(root.at(blob_field!(StringsImage, forms)), draft.forms.len())?;
        for (place, [piece, count]) in forms.iter().zip(&draft.forms) {
            builder.set(place.at(blob_field!(StringsFormImage, piece)), *piece);
            builder.set(place.at(blob_field!(StringsFormImage, count)), *count);
        }
        let pieces =
            builder.array(root.at(blob_field!(StringsImage, pieces)), draft.pieces.len())?;
        for (place, (is_placeholder, bytes)) in pieces.iter().zip(&draft.pieces) {
            let field = blob_field!(StringsPieceImage, is_placeholder);
            builder.set(place.at(field), *is_placeholder);
            builder.set(place.at(blob_field!(StringsPieceImage, bytes)), *bytes);
        }
        builder.numbers(root.at(blob_field!(StringsImage, bytes)), draft.bytes.as_bytes())?;
        Ok(builder.finish())
    })
}

impl Draft {
    fn add(&mut self, text: &SourceText) {
        let by = text.by.as_deref().map_or([0, 0], |by| self.add_bytes(by));
        let categories = text.forms.iter().map(|(category, _)| 1 << *category as u32).sum();
        self.texts.push((self.forms.len() as u32, categories, by));
        for (_, form) in &text.forms {
            self.forms.push([self.pieces.len() as u32, form.pieces.len() as u32]);
            for piece in &form.pieces {
                let (is_placeholder, text) = match piece {
                    Piece::Text(text) => (0, text),
                    Piece::Placeholder(name) => (1, name),
                };
                let bytes = self.add_bytes(text);
                self.pieces.push((is_placeholder, bytes));
            }
        }
    }

    fn add_bytes(&mut self, text: &str) -> [u32; 2] {
        let begin = self.bytes.len() as u32;
        self.bytes.push_str(text);
        [begin, text.len() as u32]
    }
}
