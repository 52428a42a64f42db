//! What the functions that Lua calls share with the script.

use core::cell::{Cell, UnsafeCell};
use core::ffi::c_void;
use core::panic::AssertUnwindSafe;
use core::ptr::{self, NonNull};
use std::panic::catch_unwind;

use loligo_containers::Array;

use crate::binding::{Binding, Refusal};
use crate::call::{Call, ResultTexts};
use crate::kind::{IdKind, Kind};
use crate::lua::Lua;
use crate::memory::Memory;
use crate::message::Message;
use crate::slots::Slots;
use crate::temporaries::{HandleFault, Temporaries};

/// Work for a protected call: where it lies, and how it is done.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    pub(crate) data: *mut c_void,
    pub(crate) run: unsafe fn(*mut c_void, Lua),
}

/// The state behind bound functions. It is shared by all of them through one address.
///
/// # Invariants
///
/// 1. It does not move while the Lua state lives.
/// 2. `host` is null, or the one exclusive reference to the host of the call that runs; who uses it takes it out first.
/// 3. `slots`, `texts` and `message` are borrowed by one function of this crate at a time, and never while Lua runs.
/// 4. `work` is what a call that is being begun hands to Lua, and nothing at other times.
pub(crate) struct Runtime<'m, W> {
    pub(crate) host: Cell<*mut W>,
    pub(crate) entries: Array<'m, Binding<W>>,
    pub(crate) slots: UnsafeCell<Slots>,
    pub(crate) texts: UnsafeCell<ResultTexts>,
    pub(crate) message: UnsafeCell<Message>,
    pub(crate) temporaries: Temporaries<'m>,
    pub(crate) work: Cell<Option<Work>>,
    pub(crate) memory: Memory<'m>,
}

impl<'m, W> Runtime<'m, W> {
    pub(crate) fn new(
        entries: Array<'m, Binding<W>>,
        temporaries: Temporaries<'m>,
        memory: Memory<'m>,
    ) -> Self {
        Self {
            host: Cell::new(ptr::null_mut()),
            entries,
            slots: UnsafeCell::new(Slots::new()),
            texts: UnsafeCell::new(ResultTexts::new()),
            message: UnsafeCell::new(Message::new()),
            temporaries,
            work: Cell::new(None),
            memory,
        }
    }

    /// Takes the host out for a function, and puts it back. `None` outside of a call.
    pub(crate) fn with_host<R>(&self, work: impl FnOnce(&mut W) -> R) -> Option<R> {
        let host = self.host.replace(ptr::null_mut());
        let mut exclusive = NonNull::new(host)?;
        // SAFETY: by invariant 2 nobody else has it now.
        let result = work(unsafe { exclusive.as_mut() });
        self.host.set(host);
        Some(result)
    }

    /// Says why a call fails.
    pub(crate) fn say(&self, why: core::fmt::Arguments<'_>) {
        // SAFETY: by invariant 3 nobody else looks at it.
        let message = unsafe { &mut *self.message.get() };
        message.set(why);
    }

    /// Runs a bound function on the arguments in the slots; false where it refuses, and the message says why.
    pub(crate) fn enter(&self, index: usize) -> bool {
        let binding = self.entries[index];
        if self.temporaries.checks() && !self.check(&binding) {
            return false;
        }
        let end = self.with_host(|host| {
            // A panic may not leave by way of Lua's frames.
            catch_unwind(AssertUnwindSafe(|| self.run(&binding, host)))
        });
        match end {
            Some(Ok(Ok(()))) => true,
            Some(Ok(Err(Refusal(())))) => {
                // SAFETY: by invariant 3 nobody else looks at it.
                let message = unsafe { &mut *self.message.get() };
                message.put_before(format_args!("{}: ", binding.name));
                false
            }
            Some(Err(panic)) => {
                let words = panic.downcast_ref::<&str>().copied();
                let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
                let words = words.unwrap_or("without a message");
                self.say(format_args!("{}: a panic in the engine: {words}", binding.name));
                false
            }
            None => {
                self.say(format_args!(
                    "{}: called outside of a call from the engine, by a finalizer for instance",
                    binding.name
                ));
                false
            }
        }
    }

    fn run(&self, binding: &Binding<W>, host: &mut W) -> Result<(), Refusal> {
        // SAFETY: by invariant 3 nobody else looks at it while the function runs.
        let slots = unsafe { &mut *self.slots.get() };
        // SAFETY: as above.
        let texts = unsafe { &mut *self.texts.get() };
        // SAFETY: as above.
        let message = unsafe { &mut *self.message.get() };
        let kinds = (binding.arguments, binding.results);
        let mut call = Call::new(slots, texts, message, &self.temporaries, kinds);
        (binding.function)(host, &mut call)?;
        let (returned, wanted) = (call.returned(), binding.results.len());
        if returned == wanted {
            return Ok(());
        }
        Err(call.refuse(format_args!("it returned {returned} results of {wanted}")))
    }

    /// Looks at the markers of ids and temporaries.
    fn check(&self, binding: &Binding<W>) -> bool {
        for (argument, kind) in binding.arguments.iter().enumerate() {
            let Some(marker) = kind.marker() else { continue };
            // SAFETY: by invariant 3 nobody else writes there.
            let number = unsafe { (&(*self.slots.get()).arguments)[argument] };
            if number == 0.0 && matches!(kind, Kind::OptionalId(_)) {
                continue;
            }
            if let Err(fault) = self.temporaries.check(number, marker) {
                self.say_fault(binding.name, argument, marker, fault);
                return false;
            }
        }
        true
    }

    fn say_fault(&self, name: &str, argument: usize, wanted: IdKind, fault: HandleFault) {
        let (argument, wanted) = (argument + 1, wanted.name());
        match fault {
            HandleFault::NoHandle => self.say(format_args!(
                "{name}: argument {argument} must be a {wanted}, and is a plain number"
            )),
            HandleFault::OtherKind(code) => self.say(format_args!(
                "{name}: argument {argument} must be a {wanted}, and is a {}",
                self.kind_name(code)
            )),
            HandleFault::Stale => self.say(format_args!(
                "{name}: argument {argument} is a {wanted} of a frame that is over; keep it in a \
                 {wanted}Box"
            )),
        }
    }

    /// Returns the name of the kind with a code.
    pub(crate) fn kind_name(&self, code: u8) -> &'static str {
        let kinds =
            self.entries.iter().flat_map(|entry| entry.arguments.iter().chain(entry.results));
        let mut markers = kinds.filter_map(|kind| kind.marker());
        markers
            .find(|marker| marker.code() == code)
            .map_or("value of an unknown kind", IdKind::name)
    }
}
