//! Bounds on the text of a shader, found in one pass before a library reads it.
//!
//! What reads WGSL calls itself for each operand of `x + x + ..`, for each `else if` and for each
//! declaration that another needs, so that a long flat text overflows its stack. Here no function
//! calls itself, and nothing is allocated. What is counted is at least as much as how deep a reader
//! can go:
//!
//! ```text
//! f(a + b, -c.xyz) * 2     brackets that are open: 1; operators on the way down: ( + , ( - . , ( *
//! array<array<f32, 2>, 2>  `<` after a name is a bracket, if a `>` ends it
//! ```

use core::error::Error;
use core::fmt;

#[cfg(test)]
mod tests;

/// The most bytes of a shader.
pub const SHADER_BYTES_MAX: usize = 1 << 20;

/// How many brackets may be open at a time.
const NESTING_MAX: usize = 64;

/// How many operators may be between an expression and what is deepest in it.
const OPERATORS_MAX: u32 = 256;

/// How many branches of `else` may be in each other.
const ELSE_MAX: u32 = 128;

/// How many declarations there may be: each may need another.
const DECLARATIONS_MAX: u32 = 1024;

/// A text that is not read, since a reader might overflow its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderTextError {
    /// Where, in bytes from the beginning.
    pub at: usize,
    /// What there is too much of.
    pub kind: ShaderTextErrorKind,
}

/// What there is too much of in a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShaderTextErrorKind {
    /// Bytes.
    Bytes,
    /// Brackets in brackets.
    Nesting,
    /// Operators in one expression.
    Operators,
    /// Branches of `else`.
    Else,
    /// Declarations.
    Declarations,
}

impl ShaderTextErrorKind {
    /// Returns what to do about it.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Bytes | Self::Declarations => "split the shader",
            Self::Nesting | Self::Operators => "give a part of it a name with `let`",
            Self::Else => "write a `switch`, or functions that return early",
        }
    }
}

impl fmt::Display for ShaderTextErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes => write!(f, "the shader has more than {SHADER_BYTES_MAX} bytes"),
            Self::Nesting => write!(f, "more than {NESTING_MAX} brackets are in each other"),
            Self::Operators => {
                write!(f, "an expression has more than {OPERATORS_MAX} operators in each other")
            }
            Self::Else => write!(f, "more than {ELSE_MAX} branches of `else` are in each other"),
            Self::Declarations => write!(f, "there are more than {DECLARATIONS_MAX} declarations"),
        }
    }
}

impl fmt::Display for ShaderTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}; {}", self.at, self.kind, self.kind.remedy())
    }
}

impl Error for ShaderTextError {}

/// Checks that a reader of the text can go only so deep that a stack of 2 MiB has room for it,
/// whatever the text is.
///
/// # Complexity
///
/// O(bytes). Allocates nothing.
///
/// # Errors
///
/// [`ShaderTextError`] for the first place at which there is too much of something.
pub fn check_shader_text(text: &str) -> Result<(), ShaderTextError> {
    if text.len() > SHADER_BYTES_MAX {
        return Err(ShaderTextError { at: SHADER_BYTES_MAX, kind: ShaderTextErrorKind::Bytes });
    }
    let mut scan = Scan::new();
    let mut at = 0;
    while let Some((token, end)) = next_token(text.as_bytes(), &mut at) {
        let start = at;
        at = end;
        scan.token(token).map_err(|kind| ShaderTextError { at: start, kind })?;
    }
    Ok(())
}

/// A piece of the text, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    /// `else`.
    Else,
    /// A name or another word.
    Word,
    Number,
    Mark(u8),
}

/// Returns the next token and where it ends; `at` becomes where it begins. None at the end.
fn next_token(text: &[u8], at: &mut usize) -> Option<(Token, usize)> {
    skip_space(text, at);
    let first = *text.get(*at)?;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let rest = &text[*at..];
    if first.is_ascii_digit() {
        let length = rest.iter().position(|byte| !is_word(byte) && *byte != b'.');
        return Some((Token::Number, *at + length.unwrap_or(rest.len())));
    }
    if is_word(&first) {
        let length = rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len());
        let token = if &rest[..length] == b"else" { Token::Else } else { Token::Word };
        return Some((token, *at + length));
    }
    // `<=` and `<<` are not brackets.
    if let [b'<', b'<' | b'=', ..] = rest {
        return Some((Token::Mark(b'+'), *at + 2));
    }
    // Neither operator can be between the `<` and the `>` of a type.
    if let [b'&', b'&', ..] | [b'|', b'|', ..] = rest {
        return Some((Token::Mark(b'&'), *at + 2));
    }
    Some((Token::Mark(first), *at + 1))
}

/// Skips spaces and comments, which may be in each other.
fn skip_space(text: &[u8], at: &mut usize) {
    let mut depth = 0_usize;
    while let Some(&first) = text.get(*at) {
        let next = text.get(*at + 1).copied();
        match (first, next) {
            (b'/', Some(b'*')) => {
                depth += 1;
                *at += 2;
            }
            (b'*', Some(b'/')) if depth > 0 => {
                depth -= 1;
                *at += 2;
            }
            (b'/', Some(b'/')) if depth == 0 => {
                let rest = &text[*at..];
                let line = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                *at += line.unwrap_or(rest.len());
            }
            _ if depth > 0 || first.is_ascii_whitespace() || first == 0x0B => *at += 1,
            _ => return,
        }
    }
}

/// What is between two brackets, or what no bracket is around.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// The bracket that opens it; 0 for what no bracket is around.
    bracket: u8,
    /// Operators since the last comma or semicolon.
    operators: u32,
    /// The most of them between two.
    operators_peak: u32,
    /// Branches of `else` of the statement that is read.
    branches: u32,
    /// Whether a block has just ended.
    is_after_block: bool,
}

struct Scan {
    frames: [Frame; NESTING_MAX + 1],
    /// The last of the frames that are open.
    top: usize,
    /// Of all frames.
    operators: u32,
    branches: u32,
    declarations: u32,
    /// Whether the token before can be the name before a `<`.
    is_after_word: bool,
}

impl Scan {
    fn new() -> Self {
        Self {
            frames: [Frame::default(); NESTING_MAX + 1],
            top: 0,
            operators: 0,
            branches: 0,
            declarations: 0,
            is_after_word: false,
        }
    }

    fn token(&mut self, token: Token) -> Result<(), ShaderTextErrorKind> {
        let is_after_word = core::mem::replace(&mut self.is_after_word, token == Token::Word);
        let frame = &mut self.frames[self.top];
        if core::mem::take(&mut frame.is_after_block) && token != Token::Else {
            self.branches -= core::mem::take(&mut frame.branches);
        }
        match token {
            Token::Word | Token::Number | Token::Mark(b'@') => Ok(()),
            Token::Else => {
                self.frames[self.top].branches += 1;
                self.branches += 1;
                let is_within = self.branches <= ELSE_MAX;
                is_within.then_some(()).ok_or(ShaderTextErrorKind::Else)
            }
            Token::Mark(b'<') if is_after_word => self.open(b'<'),
            Token::Mark(b'>') if self.frames[self.top].bracket == b'<' => self.close_frame(),
            Token::Mark(b'&' | b':' | b'=') => {
                self.close_angles()?;
                self.operator(1)
            }
            Token::Mark(b';') => {
                self.close_angles()?;
                self.end_part();
                self.end_declaration()
            }
            Token::Mark(b',') => {
                self.end_part();
                Ok(())
            }
            Token::Mark(b'{') => {
                // A block is not part of an expression: what is before it is a separate part.
                self.close_angles()?;
                self.end_part();
                self.open(b'{')
            }
            Token::Mark(bracket @ (b'(' | b'[')) => self.open(bracket),
            Token::Mark(b')') => self.close(b'('),
            Token::Mark(b']') => self.close(b'['),
            Token::Mark(b'}') => self.close(b'{'),
            Token::Mark(_) => self.operator(1),
        }
    }

    fn operator(&mut self, count: u32) -> Result<(), ShaderTextErrorKind> {
        let frame = &mut self.frames[self.top];
        // Each is at most what was counted before, so that nothing wraps before it is refused.
        frame.operators += count;
        self.operators += count;
        let is_within = self.operators <= OPERATORS_MAX;
        is_within.then_some(()).ok_or(ShaderTextErrorKind::Operators)
    }

    /// Begins the next of several parts, which is in none of those before.
    fn end_part(&mut self) {
        let frame = &mut self.frames[self.top];
        frame.operators_peak = frame.operators_peak.max(frame.operators);
        self.operators -= core::mem::take(&mut frame.operators);
    }

    fn end_declaration(&mut self) -> Result<(), ShaderTextErrorKind> {
        self.declarations += u32::from(self.top == 0);
        let is_within = self.declarations <= DECLARATIONS_MAX;
        is_within.then_some(()).ok_or(ShaderTextErrorKind::Declarations)
    }

    fn open(&mut self, bracket: u8) -> Result<(), ShaderTextErrorKind> {
        if self.top == NESTING_MAX {
            return Err(ShaderTextErrorKind::Nesting);
        }
        self.top += 1;
        self.frames[self.top] = Frame { bracket, ..Frame::default() };
        Ok(())
    }

    /// Ends what was taken for the brackets of a type and was a comparison.
    fn close_angles(&mut self) -> Result<(), ShaderTextErrorKind> {
        while self.frames[self.top].bracket == b'<' {
            self.close_frame()?;
        }
        Ok(())
    }

    fn close(&mut self, bracket: u8) -> Result<(), ShaderTextErrorKind> {
        self.close_angles()?;
        // What ends without a beginning is for the reader to refuse.
        if self.frames[self.top].bracket != bracket {
            return Ok(());
        }
        if bracket != b'{' {
            return self.close_frame();
        }
        // A block ends a statement, and outside of all brackets a declaration.
        self.leave();
        self.frames[self.top].is_after_block = true;
        self.end_declaration()
    }

    /// Ends the last frame. What is in it may be below what follows: `(a + b) + c`.
    fn close_frame(&mut self) -> Result<(), ShaderTextErrorKind> {
        let operators = self.leave();
        self.operator(operators + 1)
    }

    /// Ends the last frame, and returns the most operators of a part of it.
    fn leave(&mut self) -> u32 {
        self.end_part();
        let Frame { operators_peak, branches, .. } = self.frames[self.top];
        self.branches -= branches;
        self.top -= 1;
        operators_peak
    }
}
