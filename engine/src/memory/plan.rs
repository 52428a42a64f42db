//! Memory plans: which allocator serves which subsystem, as data.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_sjson::{NodeKind, Options, ReadError, SyntaxNode, SyntaxTree};

#[cfg(test)]
mod tests;

/// The most subsystems of a plan.
pub const SUBSYSTEMS_MAX: usize = 32;

/// The default least block of a buddy.
const LEAF_BYTES: usize = 64;

/// The most bytes that a buddy or a budget may have: 1 TiB.
const BYTES_MAX: u64 = 1 << 40;

/// Which allocator serves a subsystem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubsystemAllocator {
    /// The heap that all subsystems share.
    #[default]
    Shared,
    /// A separate heap on separate pages: its fragmentation affects no other subsystem.
    Heap,
    /// A buddy allocator over `bytes` bytes, taken from pages at the start.
    Buddy {
        /// All that it has.
        bytes: usize,
        /// Its least block.
        leaf: usize,
    },
    /// Whole pages for each block.
    Page,
    /// A page for each block, followed by a page that must not be touched: finds writes beyond a
    /// block.
    Guard,
    /// The C library's heap, so that AddressSanitizer, Valgrind and heap profilers see each block.
    System,
}

/// What a plan says of one subsystem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubsystemMemory {
    /// The allocator that serves it.
    pub allocator: SubsystemAllocator,
    /// The most bytes that it may hold; without, as many as there are.
    pub budget: Option<usize>,
}

/// Which allocator serves which subsystem, and how much each may hold.
///
/// A bug hunter changes it to find out where a fault is ("Extreme Bug Hunting", Bitsquid blog,
/// 2011-04-12): what goes away when one subsystem has guard pages, or a separate heap, was that
/// subsystem's fault. It is read from SJSON:
///
/// ```text
/// default = { allocator = "shared" }
/// subsystems = {
///     render = { allocator = "buddy" bytes = 67108864 leaf = 256 }
///     script = { allocator = "heap" budget = 33554432 }
///     entities = { allocator = "guard" }
/// }
/// ```
///
/// Allocators are `shared`, `heap`, `buddy`, `page`, `guard` and `system`; both keys may be left
/// out.
///
/// # Memory
///
/// 32 bytes for each of [`SUBSYSTEMS_MAX`] subsystems, in the value. Reading takes the syntax tree from
/// the allocator that is passed in, and gives it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    subsystems: [SubsystemMemory; SUBSYSTEMS_MAX],
}

impl MemoryPlan {
    /// All share one heap.
    #[must_use]
    pub fn new() -> Self {
        Self { subsystems: [SubsystemMemory::default(); SUBSYSTEMS_MAX] }
    }

    /// Reads a plan for the subsystems named in `subsystems`.
    ///
    /// # Complexity
    ///
    /// O(bytes + subsystems named in the text * `subsystems`).
    ///
    /// # Errors
    ///
    /// [`PlanError`], with the line and the column.
    ///
    /// # Panics
    ///
    /// If there are more than [`SUBSYSTEMS_MAX`] subsystems.
    pub fn try_read<'t>(
        text: &'t str,
        subsystems: &[&str],
        memory: &dyn Allocator,
    ) -> Result<Self, PlanError<'t>> {
        assert!(
            subsystems.len() <= SUBSYSTEMS_MAX,
            "{} subsystems are more than {SUBSYSTEMS_MAX}",
            subsystems.len()
        );
        let tree = SyntaxTree::try_parse_in(text.as_bytes(), &Options::SJSON, memory)
            .map_err(PlanError::Read)?;
        let reader = Reader { text };
        let mut plan = Self::new();
        let mut named = None;
        for (key, node) in
            reader.members(&tree.root(), "an object with `default` and `subsystems`")?
        {
            match key {
                "default" => plan.subsystems = [reader.subsystem_memory(&node)?; SUBSYSTEMS_MAX],
                "subsystems" => named = Some(node),
                _ => return Err(reader.wrong(&node, "`default` or `subsystems` as a key")),
            }
        }
        // What is named overrides the default, whichever comes first.
        if let Some(node) = named {
            for (key, node) in reader.members(&node, "an object with a key for each subsystem")? {
                let Some(at) = subsystems.iter().position(|subsystem| *subsystem == key) else {
                    return Err(
                        reader.wrong(&node, "the name of a subsystem of the engine as a key")
                    );
                };
                plan.subsystems[at] = reader.subsystem_memory(&node)?;
            }
        }
        Ok(plan)
    }

    /// Returns what is planned for the subsystem at a place in the list that the plan was read for.
    ///
    /// # Panics
    ///
    /// If there is no such place.
    #[must_use]
    pub const fn subsystem(&self, index: usize) -> SubsystemMemory {
        self.subsystems[index]
    }

    /// Plans for the subsystem at a place.
    ///
    /// # Panics
    ///
    /// If there is no such place.
    pub const fn set_subsystem(&mut self, index: usize, memory: SubsystemMemory) {
        self.subsystems[index] = memory;
    }
}

impl Default for MemoryPlan {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads nodes of one text.
struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    /// Returns an object's keys and values.
    fn members<'s>(
        &self,
        node: &SyntaxNode<'s>,
        expected: &'static str,
    ) -> Result<impl Iterator<Item = (&'t str, SyntaxNode<'s>)> + use<'t, 's>, PlanError<'t>> {
        if node.kind() != NodeKind::Object {
            return Err(self.wrong(node, expected));
        }
        let text = self.text;
        Ok(node.children().map(move |child| {
            let key = child.key_span().map_or("", |span| &text[span]);
            (key.trim_matches('"'), child)
        }))
    }

    fn subsystem_memory(&self, node: &SyntaxNode<'_>) -> Result<SubsystemMemory, PlanError<'t>> {
        const ALLOCATORS: &str =
            "\"shared\", \"heap\", \"buddy\", \"page\", \"guard\" or \"system\"";
        let (mut allocator, mut bytes, mut leaf, mut budget) = (None, None, None, None);
        for (key, value) in self.members(node, "an object with `allocator`")? {
            match key {
                "allocator" => allocator = Some(value),
                "bytes" => bytes = Some(self.number(&value)?),
                "leaf" => leaf = Some((self.number(&value)?, value)),
                "budget" => budget = Some(self.number(&value)?),
                _ => {
                    let expected = "`allocator`, `bytes`, `leaf` or `budget` as a key";
                    return Err(self.wrong(&value, expected));
                }
            }
        }
        let Some(name) = allocator else {
            return Err(self.wrong(node, "an object with `allocator`"));
        };
        let allocator = match name.text().trim_matches('"') {
            "shared" => SubsystemAllocator::Shared,
            "heap" => SubsystemAllocator::Heap,
            "page" => SubsystemAllocator::Page,
            "guard" => SubsystemAllocator::Guard,
            "system" => SubsystemAllocator::System,
            "buddy" => {
                let Some(bytes) = bytes else {
                    return Err(self.wrong(node, "`bytes` beside `allocator = \"buddy\"`"));
                };
                if let Some((leaf, at)) = &leaf
                    && !(leaf.is_power_of_two() && (16..=bytes).contains(leaf))
                {
                    return Err(self.wrong(at, "a power of two from 16 up to `bytes`"));
                }
                let leaf = leaf.map_or(LEAF_BYTES, |(leaf, _)| leaf);
                return Ok(SubsystemMemory {
                    allocator: SubsystemAllocator::Buddy { bytes, leaf },
                    budget,
                });
            }
            _ => return Err(self.wrong(&name, ALLOCATORS)),
        };
        if bytes.is_some() || leaf.is_some() {
            return Err(self.wrong(node, "`bytes` and `leaf` beside `allocator = \"buddy\"` alone"));
        }
        Ok(SubsystemMemory { allocator, budget })
    }

    fn number(&self, node: &SyntaxNode<'_>) -> Result<usize, PlanError<'t>> {
        let number = node.text().parse::<u64>().ok().filter(|n| (1..=BYTES_MAX).contains(n));
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| self.wrong(node, "a whole number of bytes, from 1 to 1099511627776"))
    }

    fn wrong(&self, node: &SyntaxNode<'_>, expected: &'static str) -> PlanError<'t> {
        let start = node.key_span().map_or(node.span().start, |key| key.start);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        let rest = &self.text[start..];
        let found = rest.lines().next().unwrap_or_default().trim_end();
        PlanError::Wrong { line, column, found, expected }
    }
}

/// A text is not a memory plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanError<'t> {
    /// It is not SJSON.
    Read(ReadError),
    /// It is, and says something that no plan says.
    Wrong {
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// What was found, up to the end of the line.
        found: &'t str,
        /// What should.
        expected: &'static str,
    },
}

impl fmt::Display for PlanError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Wrong { line, column, found, expected } => {
                write!(f, "{line}:{column}: expected {expected}, found `{found}`")
            }
        }
    }
}

impl Error for PlanError<'_> {}
