//! A net: a way of looking at the code that may catch a fault, and what it is asked to look at.

/// The kinds of nets, each with what it is.
pub(super) const KINDS: [(Kind, &str, &str); 13] = [
    (Kind::Compile, "compile", "the code does not compile"),
    (Kind::Unit, "unit", "examples and corner cases, beside the code"),
    (Kind::World, "world", "every state and every operation of a small structure"),
    (Kind::Model, "model", "random operations beside a model of the structure, beside the code"),
    (Kind::Conformance, "conformance", "the suites of `loligo-tests` for anybody's allocator"),
    (Kind::Programs, "programs", "programs of operations drawn by `loligo-tests`"),
    (Kind::Misuse, "misuse", "each wrong use, in a process of its own"),
    (Kind::Fuzz, "fuzz", "committed inputs and some thousand of libFuzzer's"),
    (Kind::Loom, "loom", "every interleaving, by a model checker"),
    (Kind::Threads, "threads", "real threads at once"),
    (Kind::Tsan, "tsan", "the same under ThreadSanitizer"),
    (Kind::Asan, "asan", "AddressSanitizer and LeakSanitizer"),
    (Kind::Valgrind, "valgrind", "Valgrind's memcheck"),
];

/// A kind of net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Compile,
    Unit,
    World,
    Model,
    Conformance,
    Programs,
    Misuse,
    Fuzz,
    Loom,
    Threads,
    Tsan,
    Asan,
    Valgrind,
}

impl Kind {
    /// Returns the kind of this name.
    pub(super) fn of(name: &str) -> Result<Self, String> {
        match KINDS.iter().find(|(_, known, _)| *known == name) {
            Some((kind, ..)) => Ok(*kind),
            None => {
                let known: Vec<_> = KINDS.iter().map(|(_, name, _)| *name).collect();
                Err(format!("no net is called `{name}`; there are {}", known.join(", ")))
            }
        }
    }

    /// Returns its name.
    pub(super) fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or("", |(_, name, _)| name)
    }
}

/// A net. Two of one kind over one fault are one net.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Net {
    /// Its kind.
    pub(super) kind: Kind,
    /// The package whose tests are run, the fuzz target, or [`EXAMPLE`](crate::planted::EXAMPLE).
    pub(super) what: String,
    /// The tests that are run: those whose name begins with one of these, but with none that
    /// follows a `!`.
    pub(super) tests: Vec<String>,
}

impl Net {
    /// Reads a net as a fault names it: `kind package test...`.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let kind = Kind::of(words.next().unwrap_or_default())?;
        let Some(what) = words.next() else {
            return Err("a net names a package or a fuzz target".into());
        };
        Ok(Self { kind, what: what.to_owned(), tests: words.map(str::to_owned).collect() })
    }

    /// Returns `true` if a test of this name is run.
    pub(super) fn asks_for(&self, name: &str) -> bool {
        let begins = |test: &str| name.starts_with(test);
        let is_left_out = |test: &String| test.strip_prefix('!').is_some_and(begins);
        self.tests.iter().any(|test| begins(test)) && !self.tests.iter().any(is_left_out)
    }

    /// Returns it as it is written.
    pub(super) fn shown(&self) -> String {
        let mut words = vec![self.kind.name(), &self.what];
        words.extend(self.tests.iter().map(String::as_str));
        words.join(" ")
    }
}
