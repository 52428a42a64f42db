//! Calls of functions that follow one another.

use core::any::Any;
use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};

use crate::error::ScriptError;
use crate::host::Host;
use crate::runtime::Runtime;
use crate::script::{Callback, Script, push};
use crate::value::Value;

/// Values that every function of C has room for in Lua, less those that are pushed in addition to arguments.
const ROOM: usize = 16;

/// Calls that [`Script::call_each`] makes one after the other.
pub trait Calls {
    /// Returns the next function and its arguments; `None` after the last.
    fn next_call(&mut self) -> Option<(Callback, &[Value<'_>])>;
}

impl<'m, W: Host> Script<'m, W> {
    /// Makes calls one after the other, each as [`call`](Self::call) does: with its own time and its
    /// own instructions. What begins and ends a protected call is done once for all of them. A name
    /// without a function is passed over.
    ///
    /// After an error the next `call_each` goes on with the call after the one that failed.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] of the first call that fails; or there is no memory to begin any, and then
    /// none was asked for.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{HeapAllocator, PageAllocator};
    /// use loligo_script::{Callback, Calls, Script, Settings, Value};
    ///
    /// struct Count {
    ///     add: Callback,
    ///     left: u32,
    ///     argument: [Value<'static>; 1],
    /// }
    ///
    /// impl Calls for Count {
    ///     fn next_call(&mut self) -> Option<(Callback, &[Value<'_>])> {
    ///         self.left = self.left.checked_sub(1)?;
    ///         self.argument = [Value::Number(self.left.into())];
    ///         Some((self.add, &self.argument))
    ///     }
    /// }
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new("scripts", &pages);
    /// let mut script = Script::<()>::try_new(&[], &Settings::default(), &heap).unwrap();
    /// script.evaluate(&mut (), "sum = 0 function add(x) sum = sum + x end").unwrap();
    /// let add = script.callback("add").unwrap();
    /// let mut calls = Count { add, left: 5, argument: [Value::Nil] };
    /// script.call_each(&mut (), &mut calls).unwrap();
    /// assert_eq!(&*script.evaluate(&mut (), "sum").unwrap(), b"10");
    /// ```
    pub fn call_each(
        &mut self,
        host: &mut W,
        calls: &mut impl Calls,
    ) -> Result<(), ScriptError<'m>> {
        let kept = self.kept();
        let runtime: *const Runtime<'m, W> = self.runtime();
        let (mut is_over, mut panic) = (false, None::<Box<dyn Any + Send>>);
        // More than once where what stops calls came too late for one, or the reserve of memory is to be
        // filled.
        while !is_over {
            self.protect_with(host, &mut |lua| {
                // SAFETY: the runtime lives as long as the machine that works here; it is shared
                // alone.
                let runtime = unsafe { &*runtime };
                lua.push_kept(kept.callbacks);
                loop {
                    let next = &mut *calls;
                    // A panic may not leave by way of Lua's frames.
                    let next = catch_unwind(AssertUnwindSafe(move || {
                        let calls = next;
                        calls.next_call()
                    }));
                    let (callback, arguments) = match next {
                        Ok(Some(call)) => call,
                        Ok(None) => {
                            is_over = true;
                            return;
                        }
                        Err(why) => {
                            (is_over, panic) = (true, Some(why));
                            return;
                        }
                    };
                    lua.push_element(1, callback.0 as core::ffi::c_int);
                    if !lua.bool(-1) {
                        lua.set_top(1);
                        continue;
                    }
                    let count = arguments.len().min(1 << 20);
                    if count > ROOM {
                        lua.reserve(count as core::ffi::c_int);
                    }
                    for argument in arguments {
                        push(lua, &runtime.temporaries, argument);
                    }
                    lua.call(arguments.len() as core::ffi::c_int, 0);
                    if !runtime.memory.begin_next() {
                        return;
                    }
                }
            })?;
        }
        match panic {
            Some(why) => resume_unwind(why),
            None => Ok(()),
        }
    }
}
