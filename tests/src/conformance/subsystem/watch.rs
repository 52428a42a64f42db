//! A subsystem under watch: what it is asked to do, what it looks like after, and what it does when
//! it is refused memory.

use core::cell::{Cell, RefCell};
use core::convert::Infallible;
use core::fmt;
use core::mem::ManuallyDrop;
use core::ops::Deref;

use loligo_allocators::{Allocator, ProxyAllocator};

use crate::rule::{Rule, Violation, require};

use super::guard::Guard;
use super::supply::Supply;

/// What a subsystem looked like after each call of an undisturbed run.
#[derive(Default)]
pub(super) struct History(RefCell<Vec<String>>);

/// One run of a script: the allocator for its subsystems, and a watch on them.
#[expect(missing_debug_implementations, reason = "a guard behind a trait object shows no insides")]
pub struct Watch<'a> {
    proxy: &'a ProxyAllocator<'a>,
    supply: &'a Supply<'a>,
    guard: &'a dyn Guard,
    history: &'a History,
    /// Calls so far, in step with the history.
    calls: Cell<usize>,
    /// How often the global heap was used.
    global: Cell<u64>,
    /// Whether claims are looked at.
    claims: bool,
    /// Whether what was refused while it was made is made again, and whether that was left out.
    tries_once: bool,
    was_cut: Cell<bool>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        proxy: &'a ProxyAllocator<'a>,
        supply: &'a Supply<'a>,
        guard: &'a dyn Guard,
        history: &'a History,
        claims: bool,
    ) -> Self {
        let (calls, global) = (Cell::new(0), Cell::new(0));
        let (tries_once, was_cut) = (false, Cell::new(false));
        Self { proxy, supply, guard, history, calls, global, claims, tries_once, was_cut }
    }

    /// Ends a run in which a subsystem was refused while it was made.
    pub(super) fn trying_once(self) -> Self {
        Self { tries_once: true, ..self }
    }

    /// Whether the run was ended so.
    pub(super) fn was_cut(&self) -> bool {
        self.was_cut.get()
    }

    pub(super) fn global(&self) -> u64 {
        self.global.get()
    }

    /// Makes a subsystem: `make` takes the allocator, and may be called again when it was refused
    /// memory. `state` returns what may not change when something is refused; what it returns is
    /// compared as `Debug` shows it.
    ///
    /// # Errors
    ///
    /// [`Violation`] if it cannot be made with memory enough, or leaves something where it is
    /// refused.
    pub fn make<'w, S, E: fmt::Display, V: fmt::Debug>(
        &'w self,
        mut make: impl FnMut(&'w dyn Allocator) -> Result<S, E>,
        state: impl Fn(&S) -> V + 'w,
    ) -> Result<Watched<'w, S>, Violation> {
        let before = self.proxy.stats();
        let made = self.until_served(
            "its making",
            || make(self.proxy),
            || {
                let now = self.proxy.stats();
                require(now.live == before.live, Rule::Backing, || {
                    format!(
                        "its refused making keeps {} blocks of {} bytes",
                        now.live - before.live,
                        now.granted - before.granted
                    )
                })?;
                // The first is enough for a run that has no more to show.
                self.was_cut.set(self.tries_once && before.live == 0);
                require(!self.was_cut(), Rule::Served, || "it is not made again".to_owned())
            },
        )?;
        let watched = Watched {
            subsystem: ManuallyDrop::new(made),
            watch: self,
            state: Box::new(move |subsystem| format!("{:?}", state(subsystem))),
            claim: None,
        };
        watched.settle("its making")?;
        Ok(watched)
    }

    /// Does something until memory is had for it: a second time where it was refused, and a third
    /// time when memory is there again. `check` is what must hold after each refusal.
    fn until_served<R, E: fmt::Display>(
        &self,
        what: &str,
        mut work: impl FnMut() -> Result<R, E>,
        check: impl Fn() -> Result<(), Violation>,
    ) -> Result<R, Violation> {
        for attempt in 0..3 {
            if attempt == 2 {
                self.supply.lift();
            }
            let refused = self.supply.refusals();
            let mut result = None;
            let global = self.guard.count(&mut || result = Some(work()));
            self.global.set(self.global.get() + global);
            match result.expect("a guard runs what it counts") {
                Ok(result) => return Ok(result),
                Err(error) => {
                    let (rule, when) = match attempt {
                        0 => (Rule::Served, ""),
                        _ => (Rule::Refusal, " this time"),
                    };
                    require(self.supply.refusals() > refused, rule, || {
                        format!("{what} fails though nothing was refused{when}: {error}")
                    })?;
                }
            }
            check()?;
        }
        unreachable!("the third attempt returns")
    }
}

/// How many bytes a subsystem says that it has.
type Claim<'w, S> = Box<dyn Fn(&S) -> usize + 'w>;

/// A subsystem under watch. It is dropped with this.
#[expect(missing_debug_implementations, reason = "subsystems need not show their insides")]
pub struct Watched<'w, S> {
    subsystem: ManuallyDrop<S>,
    watch: &'w Watch<'w>,
    state: Box<dyn Fn(&S) -> String + 'w>,
    claim: Option<Claim<'w, S>>,
}

impl<'w, S> Watched<'w, S> {
    /// Reports how many bytes the subsystem says that it has. They must be charged to its
    /// allocator.
    #[must_use]
    pub fn claiming(mut self, claim: impl Fn(&S) -> usize + 'w) -> Self {
        self.claim = Some(Box::new(claim));
        self
    }

    /// Has the subsystem do something that may be refused memory, and is then done again.
    ///
    /// # Errors
    ///
    /// [`Violation`] if it fails with memory enough, if a refusal has changed what can be seen, or if
    /// it ends otherwise than without a refusal.
    pub fn call<R, E: fmt::Display>(
        &mut self,
        mut work: impl FnMut(&mut S) -> Result<R, E>,
    ) -> Result<R, Violation> {
        let what = format!("call {}", self.watch.calls.get());
        let before = self.state();
        let subsystem = RefCell::new(&mut *self.subsystem);
        let state = &self.state;
        let result = self.watch.until_served(
            &what,
            || work(&mut subsystem.borrow_mut()),
            || {
                let now = state(&subsystem.borrow());
                require(now == before, Rule::Refusal, || {
                    format!("{what} was refused and has changed {before} to {now}")
                })
            },
        )?;
        self.settle(&what)?;
        Ok(result)
    }

    /// Has the subsystem do something that cannot be refused.
    ///
    /// # Errors
    ///
    /// [`Violation`] if it ends otherwise than without a refusal before it.
    pub fn change<R>(&mut self, mut work: impl FnMut(&mut S) -> R) -> Result<R, Violation> {
        self.call(|subsystem| Ok::<R, Infallible>(work(subsystem)))
    }

    /// What may not change, as text.
    fn state(&self) -> String {
        (self.state)(&self.subsystem)
    }

    /// What is looked at after every call that succeeded.
    fn settle(&self, what: &str) -> Result<(), Violation> {
        let call = self.watch.calls.get();
        self.watch.calls.set(call + 1);
        let state = self.state();
        let mut history = self.watch.history.0.borrow_mut();
        if call == history.len() {
            history.push(state);
        } else {
            require(history[call] == state, Rule::Refusal, || {
                format!("after {what} it is {state}, and without a refusal {}", history[call])
            })?;
        }
        match &self.claim {
            Some(claim) if self.watch.claims => {
                let claimed = claim(&self.subsystem);
                let charged = self.watch.proxy.stats().granted;
                require(claimed <= charged, Rule::Charged, || {
                    format!(
                        "after {what} it claims {claimed} bytes, of which {charged} are charged"
                    )
                })
            }
            _ => Ok(()),
        }
    }
}

impl<S> Deref for Watched<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.subsystem
    }
}

impl<S> Drop for Watched<'_, S> {
    fn drop(&mut self) {
        let watch = self.watch;
        let global = watch.guard.count(&mut || {
            // SAFETY: the subsystem is dropped here alone, once, and not used again.
            unsafe { ManuallyDrop::drop(&mut self.subsystem) }
        });
        watch.global.set(watch.global.get() + global);
    }
}
