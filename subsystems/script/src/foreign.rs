//! The text of a foreign binding: a function in Lua that puts its arguments into the slots, calls
//! the one foreign function with its place in the table, and returns what the slots hold then.
//!
//! LuaJIT compiles such a function into the trace that calls it, a few stores, a call and a few
//! loads, without an object made. Types are tested in Lua, which a trace does once; markers in
//! Rust, for both routes at one place.

use core::fmt::{self, Write};

use crate::binding::{Binding, Function};
use crate::direct::DIRECT_ARGUMENTS_MAX;
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
            "local slots, refuse, fail, type, text_of, bound, enter = ...\nreturn function(",
        )?;
        for argument in 0..arguments.len() {
            write!(f, "{}a{argument}", if argument > 0 { ", " } else { "" })?;
        }
        f.write_str(")\n")?;
        for (argument, kind) in arguments.iter().enumerate() {
            self.argument(f, argument, *kind)?;
        }
        if matches!(self.binding.function, Function::Direct(_)) {
            return self.direct(f);
        }
        f.write_str("if enter(bound) ~= 0 then return fail() end\n")?;
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
    /// Writes the call of a direct function. A result that is NaN equals nothing, itself included:
    /// only then the slots are looked at.
    fn direct(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("local r = enter(bound")?;
        for (argument, kind) in self.binding.arguments.iter().enumerate() {
            match kind {
                Kind::Bool => write!(f, ", a{argument} and 1 or 0")?,
                Kind::OptionalId(_) => write!(f, ", a{argument} or 0")?,
                _ => write!(f, ", a{argument}")?,
            }
        }
        f.write_str(")\nif r ~= r and slots.failed ~= 0 then return fail() end\n")?;
        f.write_str(match self.binding.results.first() {
            None => "",
            Some(Kind::Bool) => "return r ~= 0\n",
            Some(Kind::OptionalId(_)) => "return r ~= 0 and r or nil\n",
            Some(_) => "return r\n",
        })?;
        f.write_str("end\n")
    }

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
        if matches!(self.binding.function, Function::Direct(_)) {
            return Ok(());
        }
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

/// The chunk that declares what foreign functions need: it is called with the library and the
/// address of the slots, and returns the slots; what makes of two addresses, of a binding and of a
/// function with the given number of numbers, what is called, -1 for one that takes a call; and
/// what makes a text.
pub(crate) fn write_declarations(f: &mut impl Write) -> fmt::Result {
    write!(
        f,
        "local ffi, slots, views = ...\nffi.cdef[[{}{}]]\nlocal types = {{ [-1] = ffi.typeof(\"int (*)(void *)\") }}\n",
        crate::slots::Slots::DECLARATION,
        crate::view::ViewState::DECLARATION
    )?;
    for count in 0..=DIRECT_ARGUMENTS_MAX {
        write!(f, "types[{count}] = ffi.typeof(\"double (*)(void *")?;
        for _ in 0..count {
            f.write_str(", double")?;
        }
        f.write_str(")\")\n")?;
    }
    f.write_str(
        "local function as_bound(bound, enter, count)\n\
         return ffi.cast(\"void *\", bound), ffi.cast(types[count], enter)\nend\n\
         local function elements(type) return ffi.cast(type, nil) end\n\
         return ffi.cast(\"loligo_slots *\", slots), as_bound, ffi.string, \
         ffi.cast(\"loligo_views *\", views), elements(\"float *\"), elements(\"double *\"), \
         elements(\"const uint32_t *\")\n",
    )
}
