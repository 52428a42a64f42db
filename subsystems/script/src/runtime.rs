//! What the functions that Lua calls share with the script.

use core::any::Any;
use core::cell::{Cell, UnsafeCell};
use core::ffi::c_void;
use core::mem::offset_of;
use core::panic::AssertUnwindSafe;
use core::ptr::{self, NonNull};
use std::panic::catch_unwind;

use loligo_containers::{Array, GrowError};

use crate::binding::Binding;
use crate::call::{ArgumentError, Call, ResultTexts};
use crate::direct::{CallError, Values};
use crate::kind::{IdKind, Kind, VIEW};
use crate::lua::Lua;
use crate::memory::Memory;
use crate::message::Message;
use crate::slots::Slots;
use crate::temporaries::{HandleError, Temporaries};
use crate::view::Views;

/// Work for a protected call: the address of its data, and the function that does it.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    pub(crate) data: *mut c_void,
    pub(crate) run: unsafe fn(*mut c_void, Lua),
}

/// What a panic carries.
type Panic = Box<dyn Any + Send>;

/// A binding where scripts call it: its address is what its function in Lua has.
///
/// # Invariants
///
/// 1. `runtime` is the address of the [`Runtime`] that this is in, and lives and stays where it is
///    as long as any function in Lua has the address of this.
pub(crate) struct Bound<W> {
    runtime: *const c_void,
    pub(crate) binding: Binding<W>,
}

impl<W> Bound<W> {
    #[inline]
    pub(crate) fn runtime(&self) -> &Runtime<'_, W> {
        // SAFETY: by the invariant; it is shared alone.
        unsafe { &*self.runtime.cast::<Runtime<'_, W>>() }
    }

    /// Says why a direct function failed; it has nothing to do with success.
    #[cold]
    #[inline(never)]
    pub(crate) fn say_failure(&self, failure: Failure, kinds: &[Kind], arguments: &[f64]) {
        let (runtime, name) = (self.runtime(), self.binding.name);
        match failure {
            Failure::Unsound => _ = runtime.check(name, kinds, arguments),
            Failure::Refused(trouble) => runtime.say_trouble(name, trouble),
            Failure::Panic(panic) => _ = runtime.say_panic(name, &*panic),
            Failure::Outside => _ = runtime.say_outside(name),
        }
    }
}

/// Why a direct function gives no number.
pub(crate) enum Failure {
    /// An id or a temporary is not what it must be.
    Unsound,
    /// The function refuses.
    Refused(CallError),
    /// The function panicked.
    Panic(Panic),
    /// There is no host.
    Outside,
}

/// The state that bound functions use. It is shared by all of them through one address.
///
/// # Invariants
///
/// 1. It does not move while the Lua state lives, and begins with its memory: the address that Lua
///    hands to the function that allocates is that of both.
/// 2. `host` is null, or the one exclusive reference to the host of the call that runs; its user
///    takes it out first.
/// 3. `slots`, `texts` and `message` are borrowed by one function of this crate at a time, and
///    never while Lua runs.
/// 4. `work` is what a call that is being begun hands to Lua, and nothing at other times.
#[repr(C)]
pub(crate) struct Runtime<'m, W> {
    pub(crate) memory: Memory<'m>,
    pub(crate) host: Cell<*mut W>,
    pub(crate) entries: Array<'m, Binding<W>>,
    /// The same bindings with the address of this, added once it is at its final address.
    pub(crate) bound: Array<'m, Bound<W>>,
    pub(crate) slots: UnsafeCell<Slots>,
    pub(crate) texts: UnsafeCell<ResultTexts>,
    pub(crate) message: UnsafeCell<Message>,
    pub(crate) temporaries: Temporaries<'m>,
    pub(crate) views: Views,
    pub(crate) work: Cell<Option<Work>>,
}

impl<'m, W> Runtime<'m, W> {
    pub(crate) fn new(
        entries: Array<'m, Binding<W>>,
        temporaries: Temporaries<'m>,
        memory: Memory<'m>,
    ) -> Self {
        Self {
            host: Cell::new(ptr::null_mut()),
            bound: Array::new_in(memory.allocator()),
            entries,
            slots: UnsafeCell::new(Slots::new()),
            texts: UnsafeCell::new(ResultTexts::new()),
            message: UnsafeCell::new(Message::new()),
            temporaries,
            views: Views::new(),
            work: Cell::new(None),
            memory,
        }
    }

    /// Stores the address of this in each binding.
    pub(crate) fn try_bind(&mut self) -> Result<(), GrowError> {
        const { assert!(offset_of!(Self, memory) == 0, "it is also the address of the memory") };
        let runtime = ptr::from_ref(self).cast();
        self.bound.try_reserve(self.entries.len())?;
        for &binding in &self.entries {
            self.bound.try_push(Bound { runtime, binding })?;
        }
        Ok(())
    }

    /// Takes the host out for a function, and puts it back. `None` outside of a call.
    #[inline]
    pub(crate) fn with_host<R>(&self, work: impl FnOnce(&mut W) -> R) -> Option<R> {
        let host = self.host.replace(ptr::null_mut());
        let mut exclusive = NonNull::new(host)?;
        // SAFETY: by invariant 2 nobody else has it now.
        let result = work(unsafe { exclusive.as_mut() });
        self.host.set(host);
        Some(result)
    }

    /// Runs a direct function.
    #[inline]
    pub(crate) fn enter_direct(
        &self,
        kinds: &[Kind],
        arguments: &[f64],
        work: impl FnOnce(&mut W, Values<'_>) -> Result<f64, CallError>,
    ) -> Result<f64, Failure> {
        let temporaries = &self.temporaries;
        // The kinds are known when a direct function is compiled: a few comparisons are left.
        let is_sound = |(kind, &number): (&Kind, &f64)| match kind.marker() {
            Some(_) if number == 0.0 && matches!(kind, Kind::OptionalId(_)) => true,
            Some(marker) => temporaries.check(number, marker).is_ok(),
            None => true,
        };
        let has_markers = kinds.iter().any(|kind| kind.marker().is_some());
        if has_markers && temporaries.checks() && !kinds.iter().zip(arguments).all(is_sound) {
            return Err(Failure::Unsound);
        }
        match self.guarded(|host| work(host, Values(temporaries))) {
            Some(Ok(Ok(number))) => Ok(number),
            Some(Ok(Err(trouble))) => Err(Failure::Refused(trouble)),
            Some(Err(panic)) => Err(Failure::Panic(panic)),
            None => Err(Failure::Outside),
        }
    }

    /// Says why a call fails.
    pub(crate) fn say(&self, why: core::fmt::Arguments<'_>) {
        // SAFETY: by invariant 3 nobody else looks at it.
        let message = unsafe { &mut *self.message.get() };
        message.set(why);
    }

    /// Runs a bound function on the arguments in the slots; false where it refuses, and the message
    /// says why.
    pub(crate) fn enter(
        &self,
        binding: &Binding<W>,
        function: impl FnOnce(&mut W, &mut Call<'_>) -> Result<(), ArgumentError>,
    ) -> bool {
        if self.temporaries.checks() {
            // SAFETY: by invariant 3 nobody else writes there.
            let arguments = unsafe { (*self.slots.get()).arguments };
            if !self.check(binding.name, binding.arguments, &arguments) {
                return false;
            }
        }
        match self.guarded(|host| self.run(binding, function, host)) {
            Some(Ok(Ok(()))) => true,
            Some(Ok(Err(ArgumentError(())))) => {
                self.say_name(binding.name);
                false
            }
            Some(Err(panic)) => self.say_panic(binding.name, &*panic),
            None => self.say_outside(binding.name),
        }
    }

    /// Takes the host out for a function, keeps its panics, and puts the host back.
    #[inline]
    fn guarded<R>(&self, work: impl FnOnce(&mut W) -> R) -> Option<Result<R, Panic>> {
        // A panic may not leave by way of Lua's frames.
        self.with_host(|host| catch_unwind(AssertUnwindSafe(|| work(host))))
    }

    fn run(
        &self,
        binding: &Binding<W>,
        function: impl FnOnce(&mut W, &mut Call<'_>) -> Result<(), ArgumentError>,
        host: &mut W,
    ) -> Result<(), ArgumentError> {
        // SAFETY: by invariant 3 nobody else looks at it while the function runs.
        let slots = unsafe { &mut *self.slots.get() };
        // SAFETY: as above.
        let texts = unsafe { &mut *self.texts.get() };
        // SAFETY: as above.
        let message = unsafe { &mut *self.message.get() };
        let kinds = (binding.arguments, binding.results);
        let mut call = Call::new(slots, texts, message, &self.temporaries, kinds);
        function(host, &mut call)?;
        let (returned, wanted) = (call.returned(), binding.results.len());
        if returned == wanted {
            return Ok(());
        }
        Err(call.refuse(format_args!("it returned {returned} results of {wanted}")))
    }

    #[cold]
    fn say_name(&self, name: &str) {
        // SAFETY: by invariant 3 nobody else looks at it.
        let message = unsafe { &mut *self.message.get() };
        message.put_before(format_args!("{name}: "));
    }

    #[cold]
    fn say_panic(&self, name: &str, panic: &(dyn Any + Send)) -> bool {
        let words = panic.downcast_ref::<&str>().copied();
        let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let words = words.unwrap_or("without a message");
        self.say(format_args!("{name}: a panic in the engine: {words}"));
        false
    }

    #[cold]
    fn say_outside(&self, name: &str) -> bool {
        self.say(format_args!(
            "{name}: called outside of a call from the engine, by a finalizer for instance"
        ));
        false
    }

    #[cold]
    fn say_trouble(&self, name: &str, trouble: CallError) {
        match trouble {
            CallError::Full(kind) => {
                self.say(format_args!("{name}: {}", self.temporaries.full(kind)));
            }
            CallError::Refused(why) => self.say(format_args!("{name}: {why}")),
        }
    }

    /// Looks at the markers of ids and temporaries.
    fn check(&self, name: &str, kinds: &[Kind], arguments: &[f64]) -> bool {
        for (argument, (kind, &number)) in kinds.iter().zip(arguments).enumerate() {
            let Some(marker) = kind.marker() else { continue };
            if number == 0.0 && matches!(kind, Kind::OptionalId(_)) {
                continue;
            }
            if let Err(error) = self.temporaries.check(number, marker) {
                self.say_handle_error(name, argument, marker, error);
                return false;
            }
        }
        true
    }

    fn say_handle_error(&self, name: &str, argument: usize, wanted: IdKind, error: HandleError) {
        let (argument, wanted) = (argument + 1, wanted.name());
        match error {
            HandleError::NoHandle => self.say(format_args!(
                "{name}: argument {argument} must be a {wanted}, and is a plain number"
            )),
            HandleError::OtherKind(code) => self.say(format_args!(
                "{name}: argument {argument} must be a {wanted}, and is a {}",
                self.kind_name(code)
            )),
            HandleError::Stale => self.say(format_args!(
                "{name}: argument {argument} is a {wanted} of a frame that is over; keep it in a \
                 {wanted}Box"
            )),
        }
    }

    /// Returns the name of the kind with a code.
    pub(crate) fn kind_name(&self, code: u8) -> &'static str {
        if code == VIEW.code() {
            return VIEW.name();
        }
        let kinds =
            self.entries.iter().flat_map(|entry| entry.arguments.iter().chain(entry.results));
        let mut markers = kinds.filter_map(|kind| kind.marker());
        markers
            .find(|marker| marker.code() == code)
            .map_or("value of an unknown kind", IdKind::name)
    }
}
