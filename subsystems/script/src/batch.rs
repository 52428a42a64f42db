//! One call of a script for many objects.

use loligo_containers::{Array, text};

use crate::error::ScriptError;
use crate::host::Host;
use crate::script::{Callback, Script};
use crate::value::Value;
use crate::view::View;

impl<'m, W: Host> Script<'m, W> {
    /// Calls a function once for many objects: it gets the views, then the arguments. False if there
    /// is none of that name. As little garbage as [`call`](Self::call) makes: none for the views.
    ///
    /// In the script a view is a number that is indexed from 1 on: `view[i]` is read, `view[i] = x`
    /// written, `#view` the count of its elements. Each access looks at the range; where calls of bound
    /// functions are compiled, it is a load or a store then, or a call if the array had a NaN as
    /// this began. After this call a view that was kept is refused, unless exactly 2^24 others have
    /// passed meanwhile.
    ///
    /// What the script wrote before it failed, is written.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if it fails. Its message names the function and the index that the script used
    /// last, 0 if it used none, with the id there in the first view of ids.
    ///
    /// # Panics
    ///
    /// If there are more than [`VIEWS_MAX`](crate::VIEWS_MAX) views.
    ///
    /// # Complexity
    ///
    /// O(elements of all views), which are looked at for NaNs, and what the script does.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{HeapAllocator, PageAllocator};
    /// use loligo_script::{IdKind, Script, Settings, Value, View};
    ///
    /// const ENTITY: IdKind = IdKind::new(16, "Entity");
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new("scripts", &pages);
    /// let mut script = Script::<()>::try_new(&[], &Settings::default(), &heap).unwrap();
    /// let code = "function fall(ids, heights, speeds, dt) \
    ///     for i = 1, #ids do \
    ///         speeds[i] = speeds[i] - 10 * dt \
    ///         heights[i] = heights[i] + speeds[i] * dt \
    ///     end \
    /// end";
    /// script.evaluate(&mut (), code).unwrap();
    /// let fall = script.callback("fall").unwrap();
    ///
    /// let (ids, mut heights, mut speeds) = ([7, 9], [100.0_f32, 50.0], [0.0_f32, 4.0]);
    /// let mut views = [
    ///     View::Ids(ENTITY, &ids),
    ///     View::FloatsMut(&mut heights),
    ///     View::FloatsMut(&mut speeds),
    /// ];
    /// assert!(script.call_batch(&mut (), fall, &mut views, &[Value::Number(0.5)]).unwrap());
    /// assert_eq!((heights, speeds), ([97.5, 49.5], [-5.0, -1.0]));
    /// ```
    pub fn call_batch(
        &mut self,
        host: &mut W,
        callback: Callback,
        views: &mut [View<'_>],
        arguments: &[Value<'_>],
    ) -> Result<bool, ScriptError<'m>> {
        let count = views.len();
        // SAFETY: the arrays stay borrowed by `views`, which is used below no sooner than they are
        // closed, also by a panic.
        unsafe { self.runtime().views.begin(views) };
        let open = Open { script: self };
        let result = open.script.call_with(host, callback, count, arguments);
        drop(open);
        result.map_err(|error| self.in_batch(error, callback, views))
    }

    /// Adds to an error which function it was and where among the objects.
    #[cold]
    fn in_batch(
        &mut self,
        error: ScriptError<'m>,
        callback: Callback,
        views: &[View<'_>],
    ) -> ScriptError<'m> {
        let mut name = Array::new_in(self.allocator());
        if self.name_of(callback, &mut name).is_err() {
            return error;
        }
        let name = str::from_utf8(&name).unwrap_or_default();
        let last = self.runtime().views.last();
        let id = views.iter().find_map(|view| match view {
            View::Ids(kind, ids) => Some((kind.name(), ids.get(last.wrapping_sub(1))?)),
            _ => None,
        });
        let mut place = Array::new_in(self.allocator());
        let line = format_args!(" (in the batch of `{name}`, at index {last}");
        let written = text::try_format(&mut place, line).and_then(|()| match id {
            Some((kind, bits)) => text::try_format(&mut place, format_args!(": {kind} {bits})")),
            None => text::try_format(&mut place, format_args!(")")),
        });
        if written.is_err() { error } else { error.with_place(&place) }
    }
}

/// A machine whose views are open.
struct Open<'s, 'm, W: Host> {
    script: &'s mut Script<'m, W>,
}

impl<W: Host> Drop for Open<'_, '_, W> {
    fn drop(&mut self) {
        self.script.runtime().views.end();
    }
}
