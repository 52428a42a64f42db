//! The compiler of the resource type `lua`.

use core::ffi::{CStr, c_int};
use core::ptr::NonNull;

use loligo_compiler::{CompileError, Compiler, Context};
use mlua_sys as ffi;

use crate::requires::{Required, required};

/// Checks that a source is Lua, and takes it as it is.
///
/// The payload is the text, not bytecode: LuaJIT does not verify bytecode, so that a damaged file
/// would crash the game instead of giving an error; and text is what a console can show. Modules
/// that a source requires by a text are references: a compile says where one is missing.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Compilers;
/// use loligo_script::LuaCompiler;
///
/// let mut compilers = Compilers::built_in();
/// compilers.register("lua", LuaCompiler);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LuaCompiler;

impl Compiler for LuaCompiler {
    fn version(&self) -> u32 {
        1
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        if source.first() == Some(&0x1b) {
            let reason = "it is bytecode, which is not verified";
            return Err(CompileError::new(reason, "give the text that it was made of"));
        }
        let Some(checker) = Checker::new() else {
            let reason = "there is no memory to check it";
            return Err(CompileError::new(reason, "compile with fewer threads"));
        };
        match checker.syntax_error(&source) {
            None => {
                // Text that is not UTF-8 is valid Lua all the same, inside of strings.
                let text = String::from_utf8_lossy(&source);
                for Required { module, line, column } in required(&text) {
                    context.refer("lua", module, (line, column));
                }
                Ok(source.to_vec())
            }
            Some(error) => {
                let column = checker.column_of(&source, &error);
                let remedy = "correct the text";
                Err(CompileError::new(error.reason, remedy).at(error.line, column))
            }
        }
    }
}

/// What LuaJIT says of a source.
struct SyntaxError {
    line: u32,
    reason: String,
}

impl SyntaxError {
    /// Returns the token that the reason names.
    fn token(&self) -> Option<&str> {
        self.reason.rsplit_once(" near '")?.1.strip_suffix('\'')
    }

    /// Returns `true` if more text could make it right.
    fn is_at_end(&self) -> bool {
        self.reason.ends_with(" near '<eof>'")
    }
}

/// A state that sources are checked in. None is run.
struct Checker(NonNull<ffi::lua_State>);

/// What is before the line in errors of a source; they leave the name of the file to us.
const CHUNK: &CStr = c"=source";

impl Checker {
    fn new() -> Option<Self> {
        // SAFETY: nothing is asked for; null means that there is no state.
        NonNull::new(unsafe { ffi::luaL_newstate() }).map(Self)
    }

    /// Returns what is wrong with a source.
    fn syntax_error(&self, source: &[u8]) -> Option<SyntaxError> {
        let state = self.0.as_ptr();
        // SAFETY: the state is alive, the text is borrowed for the call, the name ends with zero;
        // loading is protected.
        let status: c_int = unsafe {
            ffi::luaL_loadbuffer(state, source.as_ptr().cast(), source.len(), CHUNK.as_ptr())
        };
        let error = (status != ffi::LUA_OK).then(|| {
            let mut bytes = 0;
            // SAFETY: a reason, which is a text, is on top; so nothing is converted.
            let text = unsafe { ffi::lua_tolstring(state, -1, &raw mut bytes) };
            let text = if text.is_null() {
                &[]
            } else {
                // SAFETY: the text is on the stack, and Lua returned its length.
                unsafe { core::slice::from_raw_parts(text.cast::<u8>(), bytes) }
            };
            let text = String::from_utf8_lossy(text);
            let rest = text.strip_prefix("source:").unwrap_or(&text);
            match rest.split_once(": ") {
                Some((line, reason)) => {
                    SyntaxError { line: line.parse().unwrap_or(0), reason: reason.into() }
                }
                None => SyntaxError { line: 0, reason: rest.into() },
            }
        });
        // SAFETY: the state is alive.
        unsafe { ffi::lua_settop(state, 0) };
        error
    }

    /// Returns the column of the token that is wrong, which LuaJIT does not report: that of the
    /// first such token in the line for which the text up to and including it cannot be completed
    /// to valid Lua.
    fn column_of(&self, source: &[u8], error: &SyntaxError) -> u32 {
        let lines = source.split_inclusive(|byte| *byte == b'\n');
        let before: usize = lines.take((error.line.max(1) - 1) as usize).map(<[u8]>::len).sum();
        let rest = source.get(before..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let line = &rest[..end];
        let column = |place: usize| {
            let characters = String::from_utf8_lossy(&line[..place]).chars().count();
            u32::try_from(characters + 1).unwrap_or(u32::MAX)
        };
        let Some(token) = error.token().map(str::as_bytes).filter(|token| !token.is_empty()) else {
            return column(line.len());
        };
        let mut places = (0..line.len()).filter(|place| line[*place..].starts_with(token));
        let is_wrong = |place: &usize| {
            let beginning = &source[..before + place + token.len()];
            self.syntax_error(beginning).is_some_and(|error| !error.is_at_end())
        };
        let first = places.clone().next();
        places.find(is_wrong).or(first).map_or_else(|| column(line.len()), column)
    }
}

impl Drop for Checker {
    fn drop(&mut self) {
        // SAFETY: the state is alive, and not used again.
        unsafe { ffi::lua_close(self.0.as_ptr()) };
    }
}
