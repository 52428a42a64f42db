//! Searching texts for scripts: what `library.lua` calls.

use core::ffi::c_int;

use crate::entry::{self, shared};
use crate::host::Host;
use crate::lua::{Lua, lua_State};
use crate::pattern::{Capture, Matcher, PatternError};
use crate::runtime::Runtime;

/// What is searched for and what is returned of it, by the numbers that `library.lua` has for them.
const FIND: u32 = 0;
const MATCH: u32 = 1;
const PLAIN: u32 = 2;
const NEXT: u32 = 3;

/// Searches a text for a pattern: arguments are both, the place from 0 on where the search begins,
/// and what is wanted. Returns the place and the captures, or nil.
///
/// # Safety
///
/// As [`shared`].
pub(crate) unsafe extern "C-unwind" fn scan<W: Host>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (lua, runtime) = unsafe { shared::<W>(state) };
    // SAFETY: it stays on the stack.
    let text = unsafe { lua.bytes(1) };
    // SAFETY: as above.
    let pattern = unsafe { lua.bytes(2) };
    let (from, wanted) = ((lua.number(3) as usize).min(text.len()), lua.number(4) as u32);
    // In all texts of a text, `^` is a letter like others.
    let is_anchored = wanted != NEXT && wanted != PLAIN && pattern.first() == Some(&b'^');
    let memory = &runtime.memory;
    let mut matcher =
        Matcher::new(text, &pattern[usize::from(is_anchored)..], |steps| memory.is_to_stop(steps));
    let found = match wanted {
        // Brackets that close nothing are letters, where nothing else is special.
        FIND if !pattern.iter().any(|byte| b"^$*+?.([%-".contains(byte)) => {
            matcher.find_plain(from)
        }
        PLAIN => matcher.find_plain(from),
        _ => matcher.find(from, is_anchored),
    };
    let (start, end) = match found {
        Ok(Some(place)) => place,
        Ok(None) => {
            lua.push_nil();
            return 1;
        }
        Err(error) => refuse(lua, runtime, error),
    };
    let captures = match matcher.captures() {
        Ok(captures) => captures,
        Err(error) => refuse(lua, runtime, error),
    };
    lua.reserve(captures.len() as c_int + 3);
    let mut count = 0;
    if wanted != MATCH {
        lua.push_number((start + 1) as f64);
        lua.push_number(end as f64);
        count = 2;
    }
    if captures.is_empty() && wanted != FIND && wanted != PLAIN {
        lua.push_text(&text[start..end]);
        count += 1;
    }
    for capture in captures {
        match *capture {
            Capture::Bytes(from, to) => lua.push_text(&text[from..to]),
            Capture::Place(at) => lua.push_number((at + 1) as f64),
            // There are no open captures by now.
            Capture::Open(_) => lua.push_nil(),
        }
        count += 1;
    }
    count
}

/// Raises why a pattern cannot be matched, after the place of the call.
#[cold]
fn refuse<W>(lua: Lua, runtime: &Runtime<'_, W>, error: PatternError) -> ! {
    let text = match error {
        PatternError::Stopped => entry::raise_stopped(lua, &runtime.memory),
        PatternError::Malformed(text) => text,
        PatternError::Deep => {
            "pattern too complex: it repeats or captures more than 200 deep; split it"
        }
    };
    // The library's own functions are between, unless they ended by calling this.
    for level in 1..=4 {
        lua.push_where(level);
        // SAFETY: the text stays on the stack.
        if !unsafe { lua.bytes(-1) }.starts_with(b"loligo:") {
            break;
        }
    }
    lua.push_text(text.as_bytes());
    lua.concat(2);
    lua.raise()
}
