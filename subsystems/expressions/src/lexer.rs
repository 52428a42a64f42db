//! From characters to tokens.

use crate::error::{CompileError, CompileErrorKind};
use crate::operation::binary;

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'s> {
    pub(crate) kind: TokenKind<'s>,
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TokenKind<'s> {
    Number(f32),
    Name(&'s str),
    /// An operator between two values; `-` may also be a sign.
    Infix(u8),
    /// `!`.
    Not,
    Question,
    Colon,
    Comma,
    Opening,
    Closing,
    End,
}

/// Reads tokens off a source, which has no more bytes than a `u32` counts.
#[derive(Debug)]
pub(crate) struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    pub(crate) const fn new(source: &'s str) -> Self {
        Self { source, at: 0 }
    }

    /// Returns the next token; at the end, the end, time and again.
    pub(crate) fn next(&mut self) -> Result<Token<'s>, CompileError<'s>> {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let text = rest.trim_start();
        self.at += rest.len() - text.len();
        let (kind, bytes) = token(text).map_err(|(kind, bytes)| self.error(kind, bytes))?;
        let token = Token { kind, offset: self.at as u32, bytes: bytes as u32 };
        self.at += bytes;
        Ok(token)
    }

    fn error(&self, kind: CompileErrorKind<'s>, bytes: usize) -> CompileError<'s> {
        let (offset, bytes) = (self.at as u32, bytes as u32);
        CompileError { source: self.source, offset, bytes, kind }
    }
}

/// Reads the token that `text` begins with; returns its bytes, too.
fn token(text: &str) -> Result<(TokenKind<'_>, usize), (CompileErrorKind<'_>, usize)> {
    use TokenKind::{Closing, Colon, Comma, End, Infix, Not, Opening, Question};
    let mut characters = text.chars();
    let Some(first) = characters.next() else { return Ok((End, 0)) };
    let second = characters.next();
    let is_equal = second == Some('=');
    Ok(match first {
        '0'..='9' => return number(text),
        '.' if second.is_some_and(|c| c.is_ascii_digit()) => return number(text),
        '+' => (Infix(binary::ADD), 1),
        '-' => (Infix(binary::SUBTRACT), 1),
        '*' => (Infix(binary::MULTIPLY), 1),
        '/' => (Infix(binary::DIVIDE), 1),
        '%' => (Infix(binary::REMAINDER), 1),
        '^' => (Infix(binary::POWER), 1),
        '<' if is_equal => (Infix(binary::AT_MOST), 2),
        '<' => (Infix(binary::LESS), 1),
        '>' if is_equal => (Infix(binary::AT_LEAST), 2),
        '>' => (Infix(binary::GREATER), 1),
        '=' if is_equal => (Infix(binary::EQUAL), 2),
        '!' if is_equal => (Infix(binary::UNEQUAL), 2),
        '!' => (Not, 1),
        '&' if second == Some('&') => (Infix(binary::AND), 2),
        '|' if second == Some('|') => (Infix(binary::OR), 2),
        '=' => return Err((CompileErrorKind::HalfOperator { whole: "==" }, 1)),
        '&' => return Err((CompileErrorKind::HalfOperator { whole: "&&" }, 1)),
        '|' => return Err((CompileErrorKind::HalfOperator { whole: "||" }, 1)),
        '?' => (Question, 1),
        ':' => (Colon, 1),
        ',' => (Comma, 1),
        '(' => (Opening, 1),
        ')' => (Closing, 1),
        _ if is_start(first) => {
            let name = name(text);
            (TokenKind::Name(name), name.len())
        }
        _ => return Err((CompileErrorKind::Character, first.len_utf8())),
    })
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the name that `text` begins with; a dot belongs to it where a name follows.
fn name(text: &str) -> &str {
    let mut end = 0;
    loop {
        let rest = &text[end..];
        end += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let behind = text[end..].strip_prefix('.');
        if !behind.is_some_and(|behind| behind.starts_with(is_start)) {
            return &text[..end];
        }
        end += 1;
    }
}

/// Reads the number that `text` begins with. Letters, digits and dots that follow belong to it, so
/// that `2x` and `1.2.3` are malformed numbers rather than two tokens.
fn number(text: &str) -> Result<(TokenKind<'_>, usize), (CompileErrorKind<'_>, usize)> {
    let mut before = ' ';
    let belongs = |c: char| {
        let is_sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
        before = c;
        is_part(c) || c == '.' || is_sign
    };
    let mut belongs = belongs;
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    match text[..end].parse::<f32>() {
        Ok(value) if value.is_finite() => Ok((TokenKind::Number(value), end)),
        Ok(_) => Err((CompileErrorKind::LargeNumber, end)),
        Err(_) => Err((CompileErrorKind::Number, end)),
    }
}
