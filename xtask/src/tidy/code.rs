//! Rust source with its comments and strings blanked, so that a rule about code is not misled by
//! words about code.

/// Returns `source` with every byte of comments and of the contents of strings and characters
/// replaced by a space. Newlines stay and no byte moves, so an offset means the same in both.
pub(crate) fn code_only(source: &str) -> String {
    let mut blanker = Blanker { bytes: source.as_bytes().to_vec(), at: 0 };
    while blanker.at < blanker.bytes.len() {
        blanker.step();
    }
    // Whole literals and comments are blanked, never a part of a character, so the rest is text.
    String::from_utf8_lossy(&blanker.bytes).into_owned()
}

struct Blanker {
    bytes: Vec<u8>,
    at: usize,
}

impl Blanker {
    /// Passes over one token, blanking it if it is not code.
    fn step(&mut self) {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"//") {
            let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            self.blank(length);
        } else if rest.starts_with(b"/*") {
            let length = block_comment(rest);
            self.blank(length);
        } else if rest[0] == b'"' {
            self.string();
        } else if rest[0] == b'\'' {
            self.character_or_lifetime();
        } else if rest[0].is_ascii_alphabetic() || rest[0] == b'_' {
            self.word();
        } else {
            self.at += 1;
        }
    }

    /// Passes over an identifier; one that opens a raw string takes the string with it.
    fn word(&mut self) {
        let rest = &self.bytes[self.at..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let opens_raw = matches!(&rest[..length], b"r" | b"br" | b"cr");
        self.at += length;
        if opens_raw {
            self.raw_string();
        }
    }

    /// Blanks the contents of a raw string if one begins here.
    fn raw_string(&mut self) {
        let rest = &self.bytes[self.at..];
        let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
        if rest.get(hashes) != Some(&b'"') {
            return;
        }
        let mut end = vec![b'"'];
        end.resize(hashes + 1, b'#');
        let contents = &rest[hashes + 1..];
        let length = contents.windows(end.len()).position(|window| window == end);
        let length = length.unwrap_or(contents.len());
        self.at += hashes + 1;
        self.blank(length);
        self.at = (self.at + end.len()).min(self.bytes.len());
    }

    fn string(&mut self) {
        self.at += 1;
        let rest = &self.bytes[self.at..];
        let mut length = 0;
        while length < rest.len() && rest[length] != b'"' {
            length += if rest[length] == b'\\' { 2 } else { 1 };
        }
        self.blank(length.min(rest.len()));
        self.at = (self.at + 1).min(self.bytes.len());
    }

    fn character_or_lifetime(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let length = match rest.first() {
            Some(b'\\') => rest.iter().skip(2).position(|byte| *byte == b'\'').map(|at| at + 2),
            Some(first) => {
                let width = (first.leading_ones() as usize).max(1);
                (rest.get(width) == Some(&b'\'')).then_some(width)
            }
            None => None,
        };
        self.at += 1;
        if let Some(length) = length {
            self.blank(length);
            self.at += 1;
        }
    }

    /// Blanks `length` bytes and passes over them.
    fn blank(&mut self, length: usize) {
        for byte in &mut self.bytes[self.at..self.at + length] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        self.at += length;
    }
}

/// Returns the length of the block comment that `rest` begins with; comments nest.
fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at.min(rest.len())
}

/// Returns the offsets at which `word` occurs in `code` as a whole word.
pub(crate) fn words(code: &str, word: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let whole = |at: &usize| {
        !code[..*at].ends_with(is_part) && !code[*at + word.len()..].starts_with(is_part)
    };
    let offsets = code.match_indices(word).map(|(at, _)| at);
    offsets.filter(whole).collect()
}

#[cfg(test)]
mod tests;
