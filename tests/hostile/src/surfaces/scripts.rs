//! Scripts: run with limits, compiled and interpreted in turn.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use loligo_allocators::{HeapAllocator, PageAllocator, ProxyAllocator};
use loligo_script::{Host, Script, Settings, Watchdog};

use super::{Seeds, Surface, files, root};

/// How much memory a script may have.
const BUDGET: usize = 64 << 20;

/// How long one may take.
const TIME: Duration = Duration::from_millis(30);

/// How many instructions one that is interpreted may run.
const INSTRUCTIONS: u32 = 200_000;

/// Scripts of the sample, and such that did harm.
pub(crate) struct Scripts {
    real: Vec<(String, Vec<u8>)>,
    count: u64,
    /// Whether something of a script reached the host.
    was_printed: Arc<AtomicBool>,
}

impl Scripts {
    pub(crate) fn try_new() -> io::Result<Self> {
        let mut real = files(&root().join("samples/10-courtyard"))?;
        real.retain(|(name, _)| name.ends_with(".lua"));
        let was_printed = Arc::new(AtomicBool::new(false));
        Ok(Self { real, count: 0, was_printed })
    }
}

/// A host with one module.
struct Module<'s> {
    text: &'s [u8],
    was_printed: &'s AtomicBool,
}

impl Host for Module<'_> {
    fn module(&mut self, name: &str) -> Option<&[u8]> {
        (name == "hostile").then_some(self.text)
    }

    fn print(&mut self, _: &[u8]) {
        // Relaxed: it orders nothing.
        self.was_printed.store(true, Ordering::Relaxed);
    }
}

impl Surface for Scripts {
    fn seeds(&self) -> Seeds {
        let harmful = [
            "local function g() return (('x'):gsub('x', g)) end g()",
            "local function w() return coroutine.wrap(w)() end w()",
            "while true do end",
            "while true do pcall(function() while true do end end) end",
            "('a'):rep(4000):find(('a*'):rep(20) .. 'b')",
            "local function h() return xpcall(error, h) end xpcall(error, h)",
            "local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end",
            "return ('x'):rep(1e10)",
            "table.sort({ 3, 2, 1 }, function() while true do end end)",
            "load(function() return 'x' end)",
            "string.format('%99999999s', 'x') print(string.format('%5.3q', 1))",
            "setmetatable(_G, { __index = function(t, k) return t[k .. k] end }) print(nothing)",
        ];
        let harmful = harmful.map(|text| ("a script".to_owned(), text.as_bytes().to_vec())).into();
        Seeds { harmful, real: self.real.clone() }
    }

    fn feed(&mut self, _: &str, input: &[u8]) {
        self.count += 1;
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new_in("scripts", &pages);
        let memory = ProxyAllocator::new_in("budget", &heap).with_budget(BUDGET);
        let is_interpreted = self.count.is_multiple_of(2);
        let settings = Settings {
            instructions_max: is_interpreted.then_some(INSTRUCTIONS),
            ..Settings::default()
        };
        let mut host = Module { text: input, was_printed: &self.was_printed };
        let Ok(mut script) = Script::try_new(&[], &settings, &memory) else { return };
        script.set_time_max(Some(TIME));
        let _dog = Watchdog::try_new(script.watch()).ok();
        // Errors are right.
        let _ = script.load(&mut host, "hostile");
        for name in ["start", "update"] {
            if let Ok(callback) = script.callback(name) {
                let _ = script.call(&mut host, callback, &[]);
            }
        }
        let _ = script.collect_all();
        script.validate();
    }
}
