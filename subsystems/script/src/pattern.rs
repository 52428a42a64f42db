//! Lua's patterns, as its manual describes them, in steps that are counted: Lua's own functions
//! cannot be stopped in the middle of a pattern that goes back and forth for hours.

/// The most captures of a pattern.
const CAPTURES_MAX: usize = 32;

/// How deep captures and repetitions may go. Each level takes some hundred bytes of the stack.
const DEPTH_MAX: u32 = 200;

/// How many steps are done between two looks at whether the script is to be stopped.
const STEPS: u32 = 1 << 12;

/// Why a pattern cannot be matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternError {
    /// The pattern is malformed.
    Malformed(&'static str),
    /// It goes deeper than the stack is granted.
    Deep,
    /// The script is to be stopped.
    Stopped,
}

/// What a capture holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    /// The bytes from one place to another.
    Bytes(usize, usize),
    /// A place, from 0 on.
    Place(usize),
    /// It began there and has not ended.
    Open(usize),
}

/// A pattern and the text that it is matched with.
pub(crate) struct Matcher<'t, F> {
    text: &'t [u8],
    pattern: &'t [u8],
    captures: [Capture; CAPTURES_MAX],
    count: usize,
    depth: u32,
    steps: u32,
    is_stopped: F,
}

type Matched = Result<Option<usize>, PatternError>;

impl<'t, F: FnMut(u32) -> bool> Matcher<'t, F> {
    /// `is_stopped` is called now and then with the number of steps done, and returns `true` to
    /// stop.
    pub(crate) const fn new(text: &'t [u8], pattern: &'t [u8], is_stopped: F) -> Self {
        let captures = [Capture::Place(0); CAPTURES_MAX];
        Self { text, pattern, captures, count: 0, depth: 0, steps: 0, is_stopped }
    }

    /// Finds the first match at `from` or after it, or at `from` alone: where it begins and ends.
    pub(crate) fn find(
        &mut self,
        from: usize,
        is_anchored: bool,
    ) -> Result<Option<(usize, usize)>, PatternError> {
        let last = if is_anchored { from } else { self.text.len() };
        for start in from..=last {
            (self.count, self.depth) = (0, 0);
            if let Some(end) = self.matched(start, 0)? {
                return Ok(Some((start, end)));
            }
        }
        Ok(None)
    }

    /// Finds the pattern's own bytes, in which nothing is special.
    pub(crate) fn find_plain(
        &mut self,
        from: usize,
    ) -> Result<Option<(usize, usize)>, PatternError> {
        let bytes = self.pattern.len();
        for start in from..=self.text.len().saturating_sub(bytes) {
            self.step()?;
            if self.text[start..].first() == self.pattern.first() || bytes == 0 {
                // Comparing may take as long as the pattern is.
                self.steps = self.steps.saturating_add((bytes / 16) as u32);
                if self.text[start..].starts_with(self.pattern) {
                    return Ok(Some((start, start + bytes)));
                }
            }
        }
        Ok(None)
    }

    /// Returns what was captured by the match that was found.
    ///
    /// # Errors
    ///
    /// [`PatternError::Malformed`] if a capture has no end.
    pub(crate) fn captures(&self) -> Result<&[Capture], PatternError> {
        let captures = &self.captures[..self.count];
        match captures.iter().any(|capture| matches!(capture, Capture::Open(_))) {
            true => Err(PatternError::Malformed("unfinished capture")),
            false => Ok(captures),
        }
    }

    fn step(&mut self) -> Result<(), PatternError> {
        self.steps += 1;
        if self.steps >= STEPS && (self.is_stopped)(core::mem::take(&mut self.steps)) {
            return Err(PatternError::Stopped);
        }
        Ok(())
    }

    fn byte(&self, item: usize) -> Option<u8> {
        self.pattern.get(item).copied()
    }

    /// Matches the pattern from `item` on with the text from `at` on; returns where the match ends.
    fn matched(&mut self, at: usize, item: usize) -> Matched {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(PatternError::Deep);
        }
        let end = self.matched_here(at, item);
        self.depth -= 1;
        end
    }

    fn matched_here(&mut self, mut at: usize, mut item: usize) -> Matched {
        loop {
            self.step()?;
            let Some(byte) = self.byte(item) else { return Ok(Some(at)) };
            match (byte, self.byte(item + 1)) {
                (b'(', Some(b')')) => return self.begin_capture(Capture::Place(at), at, item + 2),
                (b'(', _) => return self.begin_capture(Capture::Open(at), at, item + 1),
                (b')', _) => return self.end_capture(at, item + 1),
                (b'$', None) => return Ok((at == self.text.len()).then_some(at)),
                (b'%', Some(b'b')) => match self.balanced(at, item + 2)? {
                    Some(end) => (at, item) = (end, item + 4),
                    None => return Ok(None),
                },
                (b'%', Some(b'f')) => {
                    let set = item + 2;
                    if self.byte(set) != Some(b'[') {
                        return Err(PatternError::Malformed(
                            "missing `[` after `%f` in the pattern",
                        ));
                    }
                    let end = self.end_of_class(set)?;
                    let before = at.checked_sub(1).map_or(0, |before| self.text[before]);
                    let here = self.text.get(at).copied().unwrap_or(0);
                    if self.is_in_set(before, set, end) || !self.is_in_set(here, set, end) {
                        return Ok(None);
                    }
                    item = end;
                }
                (b'%', Some(digit @ b'0'..=b'9')) => match self.same_again(at, digit)? {
                    Some(end) => (at, item) = (end, item + 2),
                    None => return Ok(None),
                },
                _ => {
                    let end = self.end_of_class(item)?;
                    match self.byte(end) {
                        Some(b'?') => {
                            if self.is_one(at, item, end)
                                && let Some(found) = self.matched(at + 1, end + 1)?
                            {
                                return Ok(Some(found));
                            }
                            item = end + 1;
                        }
                        Some(b'*') => return self.most(at, 0, item, end),
                        Some(b'+') => return self.most(at, 1, item, end),
                        Some(b'-') => return self.least(at, item, end),
                        _ if self.is_one(at, item, end) => (at, item) = (at + 1, end),
                        _ => return Ok(None),
                    }
                }
            }
        }
    }

    /// As many of a class as there are, and fewer where the rest does not match, down to `least`.
    fn most(&mut self, at: usize, least: usize, item: usize, end: usize) -> Matched {
        let mut count = 0;
        while self.is_one(at + count, item, end) {
            self.step()?;
            count += 1;
        }
        while count >= least {
            if let Some(found) = self.matched(at + count, end + 1)? {
                return Ok(Some(found));
            }
            let Some(fewer) = count.checked_sub(1) else { break };
            count = fewer;
        }
        Ok(None)
    }

    /// As few of a class as the rest allows.
    fn least(&mut self, mut at: usize, item: usize, end: usize) -> Matched {
        loop {
            if let Some(found) = self.matched(at, end + 1)? {
                return Ok(Some(found));
            }
            if !self.is_one(at, item, end) {
                return Ok(None);
            }
            at += 1;
        }
    }

    fn begin_capture(&mut self, capture: Capture, at: usize, item: usize) -> Matched {
        if self.count == CAPTURES_MAX {
            return Err(PatternError::Malformed("the pattern has more than 32 captures"));
        }
        self.captures[self.count] = capture;
        self.count += 1;
        let found = self.matched(at, item)?;
        if found.is_none() {
            self.count -= 1;
        }
        Ok(found)
    }

    fn end_capture(&mut self, at: usize, item: usize) -> Matched {
        let open = self.captures[..self.count].iter().rposition(|c| matches!(c, Capture::Open(_)));
        let Some(open) = open else {
            return Err(PatternError::Malformed("invalid pattern capture: a `)` without its `(`"));
        };
        let before = self.captures[open];
        let Capture::Open(start) = before else { return Ok(None) };
        self.captures[open] = Capture::Bytes(start, at);
        let found = self.matched(at, item)?;
        if found.is_none() {
            self.captures[open] = before;
        }
        Ok(found)
    }

    /// What a capture holds, once more.
    fn same_again(&mut self, at: usize, digit: u8) -> Matched {
        let index = usize::from(digit - b'0').wrapping_sub(1);
        match self.captures[..self.count].get(index) {
            Some(&Capture::Bytes(start, end)) => {
                self.steps = self.steps.saturating_add(((end - start) / 16) as u32);
                let is_same = self.text[at..].starts_with(&self.text[start..end]);
                Ok(is_same.then(|| at + end - start))
            }
            // A position is not a text that could come again.
            Some(Capture::Place(_)) => Ok(None),
            _ => Err(PatternError::Malformed("invalid capture index in the pattern")),
        }
    }

    /// From a byte to the one that closes it, with as many of both between them.
    fn balanced(&mut self, at: usize, item: usize) -> Matched {
        let (Some(open), Some(close)) = (self.byte(item), self.byte(item + 1)) else {
            return Err(PatternError::Malformed("unbalanced pattern: two bytes must follow `%b`"));
        };
        if self.text.get(at) != Some(&open) {
            return Ok(None);
        }
        let mut depth = 1_usize;
        for place in at + 1..self.text.len() {
            self.step()?;
            let byte = self.text[place];
            if byte == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some(place + 1));
                }
            } else if byte == open {
                depth += 1;
            }
        }
        Ok(None)
    }

    /// Returns where a class ends: one byte, `%` and a byte, or a set.
    fn end_of_class(&self, item: usize) -> Result<usize, PatternError> {
        match self.byte(item) {
            Some(b'%') if self.byte(item + 1).is_none() => {
                Err(PatternError::Malformed("malformed pattern (ends with `%`)"))
            }
            Some(b'%') => Ok(item + 2),
            Some(b'[') => {
                let mut at = item + 1 + usize::from(self.byte(item + 1) == Some(b'^'));
                // A bracket that comes first is one of the set.
                let first = at;
                loop {
                    match self.byte(at) {
                        None => {
                            return Err(PatternError::Malformed("malformed pattern (missing `]`)"));
                        }
                        Some(b']') if at > first => return Ok(at + 1),
                        Some(b'%') => at += 2,
                        Some(_) => at += 1,
                    }
                }
            }
            _ => Ok(item + 1),
        }
    }

    /// Returns `true` if the text has one of a class at a place.
    fn is_one(&self, at: usize, item: usize, end: usize) -> bool {
        let Some(&byte) = self.text.get(at) else { return false };
        match self.pattern[item] {
            b'.' => true,
            b'%' => is_in_class(byte, self.pattern[item + 1]),
            b'[' => self.is_in_set(byte, item, end),
            literal => literal == byte,
        }
    }

    /// Returns `true` if a byte is in the set from `item` to `end`.
    fn is_in_set(&self, byte: u8, item: usize, end: usize) -> bool {
        let mut set = &self.pattern[item + 1..end - 1];
        let is_inverted = set.first() == Some(&b'^');
        if is_inverted {
            set = &set[1..];
        }
        let mut at = 0;
        while let Some(&first) = set.get(at) {
            let (is_in, next) = match (first, set.get(at + 1), set.get(at + 2)) {
                (b'%', Some(&class), _) => (is_in_class(byte, class), at + 2),
                (low, Some(b'-'), Some(high)) => ((low..=*high).contains(&byte), at + 3),
                _ => (first == byte, at + 1),
            };
            if is_in {
                return !is_inverted;
            }
            at = next;
        }
        is_inverted
    }
}

/// Returns `true` if a byte is in the class of a letter: a capital means the complement; any other
/// byte means itself.
fn is_in_class(byte: u8, class: u8) -> bool {
    let is_in = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'g' => byte.is_ascii_graphic(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => byte.is_ascii_whitespace() || byte == 0x0b,
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0,
        _ => return class == byte,
    };
    is_in == class.is_ascii_lowercase()
}

#[cfg(test)]
mod tests;
