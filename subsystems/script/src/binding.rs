//! The table of bindings: plain data that knows no Lua.
//!
//! After Niklas Frykholm, "Lightweight Lua Bindings" (2011): functions in tables by class, objects
//! by ids. Changes: one table serves both of LuaJIT's ways to call, and ids are numbers that carry
//! their kind.

use core::fmt;

use crate::call::{ArgumentError, Call};
use crate::direct::{Direct, DirectFunction};
use crate::kind::Kind;

/// A function that scripts can call. It gets the host that was handed to the call from which the
/// script runs, takes its arguments from the [`Call`] and leaves its results there.
///
/// It may refuse with [`Call::refuse`]; then the script stops with an error at the line that
/// called. A panic is caught and becomes such an error, too.
pub type CallFunction<W> = fn(&mut W, &mut Call<'_>) -> Result<(), ArgumentError>;

/// A [`CallFunction`] that is bound many times, and is passed the number that it was bound with: the
/// way to functions that are found in a table of the host's.
pub type NumberedFunction<W> = fn(&mut W, u32, &mut Call<'_>) -> Result<(), ArgumentError>;

/// A bound function.
pub enum Function<W> {
    /// It takes any number of arguments of any kind from a [`Call`], and leaves its results there.
    Call(CallFunction<W>),
    /// As `Call`, and it is passed a number.
    Numbered(u32, NumberedFunction<W>),
    /// It takes and returns values in registers, several times as quick; [`Binding::direct`] makes
    /// it.
    Direct(Direct<W>),
}

impl<W> Clone for Function<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Function<W> {}

impl<W> fmt::Debug for Function<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Call(_) => "Call",
            Self::Numbered(..) => "Numbered",
            Self::Direct(_) => "Direct",
        })
    }
}

/// One entry in the table of bindings.
///
/// # Examples
///
/// ```
/// use loligo_script::{Binding, Call, Function, IdKind, Kind, ArgumentError};
///
/// struct World {
///     lamps: [bool; 4],
/// }
///
/// const LAMP: IdKind = IdKind::new(16, "Lamp");
///
/// fn set_on(world: &mut World, call: &mut Call<'_>) -> Result<(), ArgumentError> {
///     let (lamp, on) = (call.id(0), call.bool(1));
///     match world.lamps.get_mut(lamp as usize) {
///         Some(place) => *place = on,
///         None => return Err(call.refuse(format_args!("there is no lamp {lamp}"))),
///     }
///     Ok(())
/// }
///
/// const BINDINGS: &[Binding<World>] = &[Binding {
///     name: "Lamp.set_on",
///     arguments: &[Kind::Id(LAMP), Kind::Bool],
///     results: &[],
///     help: "switches a lamp",
///     function: Function::Call(set_on),
/// }];
/// ```
pub struct Binding<W> {
    /// The table and the function in it, `Camera.set_position`, or the name of a global function.
    pub name: &'static str,
    /// What it takes, at most [`ARGUMENTS_MAX`](crate::ARGUMENTS_MAX).
    pub arguments: &'static [Kind],
    /// What it returns, at most [`RESULTS_MAX`](crate::RESULTS_MAX).
    pub results: &'static [Kind],
    /// A sentence for people.
    pub help: &'static str,
    /// The function.
    pub function: Function<W>,
}

impl<W> Binding<W> {
    /// Returns the binding of a function that takes and returns values in registers; what it takes
    /// and returns says its type. The quickest call, for what is called often: no more than four
    /// arguments, no texts, one result at most.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_script::{Binding, Id, IdKind, IdType};
    ///
    /// struct World {
    ///     lamps: [bool; 4],
    /// }
    ///
    /// struct Lamp;
    ///
    /// impl IdType for Lamp {
    ///     const KIND: IdKind = IdKind::new(16, "Lamp");
    /// }
    ///
    /// fn set_on(world: &mut World, lamp: Id<Lamp>, on: bool) -> Result<(), &'static str> {
    ///     let lamp = world.lamps.get_mut(lamp.bits() as usize).ok_or("there is no such lamp")?;
    ///     *lamp = on;
    ///     Ok(())
    /// }
    ///
    /// const BINDINGS: &[Binding<World>] =
    ///     &[Binding::direct("Lamp.set_on", "switches a lamp", set_on)];
    /// assert_eq!(BINDINGS[0].to_string(), "Lamp.set_on(Lamp, boolean)");
    /// ```
    ///
    /// Only the function's type is kept, so it may capture a value without bytes only if that may
    /// live for ever: a token that borrows something is refused.
    ///
    /// ```compile_fail,E0597
    /// use core::marker::PhantomData;
    /// use loligo_script::Binding;
    ///
    /// /// Proof that the buffer is there, while it is.
    /// #[derive(Clone, Copy)]
    /// struct Token<'b>(PhantomData<&'b Vec<u8>>);
    ///
    /// fn token(_: &Vec<u8>) -> Token<'_> {
    ///     Token(PhantomData)
    /// }
    ///
    /// fn bind() -> Binding<()> {
    ///     let buffer = vec![1];
    ///     let token = token(&buffer);
    ///     Binding::direct("read", "after the buffer is gone", move |_: &mut ()| {
    ///         let _held = token;
    ///     })
    /// }
    /// ```
    ///
    /// Nor may it capture a token that belongs to one thread:
    ///
    /// ```compile_fail,E0277
    /// use core::marker::PhantomData;
    /// use loligo_script::Binding;
    ///
    /// /// Proof of being on the main thread.
    /// #[derive(Clone, Copy)]
    /// struct OnMainThread(PhantomData<*const ()>);
    ///
    /// let token = OnMainThread(PhantomData);
    /// let binding: Binding<()> = Binding::direct("draw", "on any thread", move |_: &mut ()| {
    ///     let _held = token;
    /// });
    /// ```
    pub const fn direct<F, Arguments>(name: &'static str, help: &'static str, _function: F) -> Self
    where
        F: DirectFunction<W, Arguments>,
    {
        let (arguments, results) = (F::ARGUMENTS, F::RESULTS);
        Self { name, arguments, results, help, function: Function::Direct(F::DIRECT) }
    }
}

impl<W> Clone for Binding<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Binding<W> {}

impl<W> fmt::Debug for Binding<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// As people read it: `Camera.position(Camera) -> Vector3`.
impl<W> fmt::Display for Binding<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, kinds: &[Kind]| {
            for (index, kind) in kinds.iter().enumerate() {
                let comma = if index > 0 { ", " } else { "" };
                let option = if matches!(kind, Kind::OptionalId(_)) { "?" } else { "" };
                write!(f, "{comma}{}{option}", kind.name())?;
            }
            Ok(())
        };
        write!(f, "{}(", self.name)?;
        list(f, self.arguments)?;
        f.write_str(")")?;
        if !self.results.is_empty() {
            f.write_str(" -> ")?;
            list(f, self.results)?;
        }
        Ok(())
    }
}

/// Which of LuaJIT's two ways scripts call bound functions by. Results and errors are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// Through Lua's stack: needs no compiler of machine code.
    Plain,
    /// Through the foreign function interface: calls are compiled, several times as quick.
    #[default]
    Foreign,
}
