//! The text of a foreign binding: a function in Lua that puts its arguments into the slots, calls the one foreign function
//! with its place in the table, and returns what the slots hold then.
//!
//! LuaJIT compiles such a function into the trace that calls it, a few stores, a call and a few loads, without an object
//! made. Types are tested in Lua, which a trace does once; markers in Rust, for both routes at one place.

use core::fmt::{self, Write};

use crate::binding::Binding;
use crate::kind::Kind;

/// The chunk of a binding at `index`: it is called with what it needs, and returns the function.
pub(crate) struct ForeignText<'b, W> {
    pub(crate) binding: &'b Binding<W>,
    pub(crate) index: usize,
}

impl<W> fmt::Display for ForeignText<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Binding { arguments, results, .. } = *self.binding;
        f.write_str(
            "local slots, runtime, enter, refuse, fail, type, text_of = ...\nreturn function(",
        )?;
        for argument in 0..arguments.len() {
            write!(f, "{}a{argument}", if argument > 0 { ", " } else { "" })?;
        }
        f.write_str(")\n")?;
        for (argument, kind) in arguments.iter().enumerate() {
            self.argument(f, argument, *kind)?;
        }
        let index = self.index;
        writeln!(f, "if enter(runtime, {index}) ~= 0 then return fail() end")?;
        for (result, kind) in results.iter().enumerate() {
            f.write_str(if result > 0 { ", " } else { "return " })?;
            match kind {
                Kind::Bool => write!(f, "slots.results[{result}] ~= 0")?,
                Kind::Text => {
                    let text = format_args!("slots.result_texts[{result}]");
                    write!(f, "text_of({text}.data, {text}.bytes)")?;
                }
                Kind::OptionalId(_) => {
                    write!(f, "slots.results[{result}] ~= 0 and slots.results[{result}] or nil")?
                }
                _ => write!(f, "slots.results[{result}]")?,
            }
        }
        f.write_str("\nend\n")
    }
}

impl<W> ForeignText<'_, W> {
    /// Writes the test of an argument, and its store into the slot.
    fn argument(&self, f: &mut fmt::Formatter<'_>, argument: usize, kind: Kind) -> fmt::Result {
        let (index, number) = (self.index, argument + 1);
        let wanted = match kind {
            Kind::Bool => "boolean",
            Kind::Text => "string",
            _ => "number",
        };
        let or_nil = match kind {
            Kind::OptionalId(_) => format_args!("a{argument} ~= nil and "),
            _ => format_args!(""),
        };
        writeln!(
            f,
            "if {or_nil}type(a{argument}) ~= \"{wanted}\" then return refuse({index}, {number}, a{argument}) end"
        )?;
        match kind {
            Kind::Bool => writeln!(f, "slots.arguments[{argument}] = a{argument} and 1 or 0"),
            Kind::Text => writeln!(
                f,
                "slots.argument_texts[{argument}].data = a{argument}\n\
                 slots.argument_texts[{argument}].bytes = #a{argument}"
            ),
            Kind::OptionalId(_) => writeln!(f, "slots.arguments[{argument}] = a{argument} or 0"),
            _ => writeln!(f, "slots.arguments[{argument}] = a{argument}"),
        }
    }
}

/// The chunk that declares what foreign functions need: it is called with the library and the addresses of slots, runtime
/// and function, and returns them as they are used.
pub(crate) fn write_declarations(f: &mut impl Write) -> fmt::Result {
    write!(
        f,
        "local ffi, slots, runtime, enter = ...\nffi.cdef[[{}]]\n\
         return ffi.cast(\"loligo_slots *\", slots), ffi.cast(\"void *\", runtime), \
         ffi.cast(\"int (*)(void *, uint32_t)\", enter), ffi.string\n",
        crate::slots::Slots::DECLARATION
    )
}
