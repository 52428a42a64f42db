//! What an expression may name: variables, constants and functions, each from a table.

use loligo_ids::murmur2_32;

use crate::operation::{BINARY_NAMES, TERNARY_NAMES, UNARY_NAMES, binary, unary};

/// The most arguments that a function takes.
pub const ARGUMENTS_MAX: usize = 8;

/// The constants that every expression may name.
const CONSTANTS: [(&str, f32); 3] =
    [("e", core::f32::consts::E), ("pi", core::f32::consts::PI), ("tau", core::f32::consts::TAU)];

/// A function over columns of arguments, into one of results.
type OverColumns = fn(&[&[f32]], &mut [f32]);

/// The names that an expression is compiled with.
///
/// A variable is known by its index in the table: its value is at that index when the expression
/// runs. A name of these tables goes before one that is built in. Names are letters, digits and
/// `_`, with dots between them (`position.x`); a name that is written otherwise is never found.
///
/// # Memory
///
/// Three slices of the caller's.
///
/// # Examples
///
/// ```
/// use loligo_expressions::{Function, Symbols};
///
/// let functions = [Function::new("noise", 2, |at| (at[0] * 12.9 + at[1] * 78.2).sin())];
/// let symbols = Symbols {
///     variables: &["t", "speed"],
///     constants: &[("gravity", 9.81)],
///     functions: &functions,
/// };
/// assert_eq!(symbols.variables.len(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbols<'a> {
    /// The variables, in the order of their values.
    pub variables: &'a [&'a str],
    /// Names of values that do not change: the compiler puts the value in place of the name.
    pub constants: &'a [(&'a str, f32)],
    /// Functions in addition to the built-in ones. Bytecode knows them by index.
    pub functions: &'a [Function<'a>],
}

/// A function of the user's.
///
/// It must give the same result for the same arguments as long as one run lasts: it may be called
/// for one input or for a column of them, in any order, twice for one of them, for both sides of a
/// choice, and by the compiler, once, where all its arguments are constant. It must not look at the bits of a NaN,
/// which are not defined.
///
/// # Examples
///
/// ```
/// use loligo_expressions::Function;
///
/// // The height of the ground is the same for one place, but another level has another ground.
/// let height = Function::new("height_at", 2, |at| at[0] * 0.5 + at[1]).varying();
/// assert_eq!((height.name(), height.arguments()), ("height_at", 2));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Function<'a> {
    name: &'a str,
    arguments: u8,
    is_varying: bool,
    one: fn(&[f32]) -> f32,
    batch: Option<OverColumns>,
}

impl<'a> Function<'a> {
    /// Returns a function with the given number of arguments, which `one` gets as a slice.
    ///
    /// # Panics
    ///
    /// If `arguments` is more than [`ARGUMENTS_MAX`].
    #[must_use]
    pub const fn new(name: &'a str, arguments: usize, one: fn(&[f32]) -> f32) -> Self {
        assert!(arguments <= ARGUMENTS_MAX, "a function takes at most 8 arguments");
        Self { name, arguments: arguments as u8, is_varying: false, one, batch: None }
    }

    /// Returns the function with a form for columns: `batch` gets a column for each argument and
    /// fills the one of results; all have the same length, which is from 1 to
    /// [`LANES`](crate::LANES). It must give what the form for one gives.
    #[must_use]
    pub const fn with_batch(self, batch: fn(&[&[f32]], &mut [f32])) -> Self {
        Self { batch: Some(batch), ..self }
    }

    /// Returns the function as one that gives other results at other times: the compiler never
    /// calls it.
    #[must_use]
    pub const fn varying(self) -> Self {
        Self { is_varying: true, ..self }
    }

    /// Returns its name.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Returns how many arguments it takes.
    #[must_use]
    pub const fn arguments(&self) -> usize {
        self.arguments as usize
    }

    /// Returns `true` if the compiler may call it.
    #[must_use]
    pub const fn is_varying(&self) -> bool {
        self.is_varying
    }

    #[inline]
    pub(crate) fn call(&self, arguments: &[f32]) -> f32 {
        (self.one)(arguments)
    }

    pub(crate) const fn batch(&self) -> Option<OverColumns> {
        self.batch
    }
}

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Symbol {
    Variable(u32),
    Constant(f32),
    Callee(Callee),
}

/// What may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    Unary(u8),
    Binary(u8),
    Ternary(u8),
    User(u32),
}

impl<'a> Symbols<'a> {
    /// Returns a hash of all that bytecode knows by index: the names of variables, names and
    /// arguments of functions, in their order. Saved bytecode carries it.
    ///
    /// # Complexity
    ///
    /// O(bytes of the names).
    #[must_use]
    pub fn fingerprint(&self) -> u32 {
        let mut hash = murmur2_32(b"variables", 0);
        for name in self.variables {
            hash = murmur2_32(name.as_bytes(), hash);
        }
        hash = murmur2_32(b"functions", hash);
        for function in self.functions {
            hash =
                murmur2_32(function.name.as_bytes(), hash.wrapping_add(function.arguments.into()));
        }
        hash
    }

    pub(crate) fn find(&self, name: &str) -> Option<Symbol> {
        let index = |index: usize| u32::try_from(index).ok().filter(|index| *index < 1 << 24);
        if let Some(at) = self.variables.iter().position(|known| *known == name) {
            return index(at).map(Symbol::Variable);
        }
        if let Some((_, value)) = self.constants.iter().find(|(known, _)| *known == name) {
            return Some(Symbol::Constant(*value));
        }
        if let Some(at) = self.functions.iter().position(|function| function.name == name) {
            return index(at).map(|at| Symbol::Callee(Callee::User(at)));
        }
        let constant = CONSTANTS.iter().find(|(known, _)| *known == name);
        constant.map(|(_, value)| Symbol::Constant(*value)).or_else(|| built_in(name))
    }

    pub(crate) fn arguments_of(&self, callee: Callee) -> usize {
        match callee {
            Callee::Unary(_) => 1,
            Callee::Binary(_) => 2,
            Callee::Ternary(_) => 3,
            Callee::User(index) => {
                self.functions.get(index as usize).map_or(0, Function::arguments)
            }
        }
    }

    /// Returns the known name that is most like `name`, if one is.
    pub(crate) fn nearest(&self, name: &str) -> Option<&'a str> {
        let functions = self.functions.iter().map(|function| function.name);
        let constants = self.constants.iter().chain(&CONSTANTS).map(|(name, _)| *name);
        let operations = UNARY_NAMES.iter().chain(BINARY_NAMES).chain(TERNARY_NAMES);
        let operations = operations.copied().filter(|name| is_name(name));
        let known = self.variables.iter().copied().chain(constants).chain(functions);
        // Of a short name less may be wrong: any letter is one change from any other.
        let count = name.chars().count();
        let far = (count / 3 + 1).min(count.saturating_sub(1));
        let known =
            known.chain(operations).filter_map(|known| Some((distance(name, known)?, known)));
        known.filter(|(distance, _)| *distance <= far).min_by_key(|found| found.0).map(|(_, n)| n)
    }
}

fn built_in(name: &str) -> Option<Symbol> {
    let find = |names: &[&str]| {
        let at = names.iter().position(|known| *known == name && is_name(known))?;
        u8::try_from(at).ok()
    };
    let callee = if name == "pow" {
        Callee::Binary(binary::POWER)
    } else if let Some(code) = find(UNARY_NAMES).filter(|code| *code > unary::NOT) {
        Callee::Unary(code)
    } else if let Some(code) = find(BINARY_NAMES) {
        Callee::Binary(code)
    } else {
        Callee::Ternary(find(TERNARY_NAMES)?)
    };
    Some(Symbol::Callee(callee))
}

pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The characters of a name that is looked for; a longer one is like none.
const COMPARED_MAX: usize = 32;

/// Returns how many characters must be put in, taken out or changed to make one of the other,
/// capitals aside.
fn distance(a: &str, b: &str) -> Option<usize> {
    let mut row: [usize; COMPARED_MAX + 1] = core::array::from_fn(|index| index);
    let long = b.chars().count();
    if long > COMPARED_MAX || a.chars().count() > COMPARED_MAX {
        return None;
    }
    for (above, from) in a.chars().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (at, to) in b.chars().enumerate() {
            let changed = diagonal + usize::from(!from.eq_ignore_ascii_case(&to));
            diagonal = row[at + 1];
            row[at + 1] = changed.min(diagonal + 1).min(row[at] + 1);
        }
    }
    Some(row[long])
}
