//! A strategy as Rust: plain code over the public types of `loligo-allocators`, with nothing to
//! choose at run time but what the strategy itself chooses.

use core::fmt::Write as _;

use super::config::{
    BuddyConfig, BySizeConfig, Classes, HeapConfig, Memory, Over, PoolConfig, SMALL_MAX,
    StrategyConfig, Tree,
};

mod branch;

/// What every written file has.
const COMMON: &str = include_str!("emit/common.rs.txt");

/// What makes a strategy the allocator of a program.
const GLOBAL: &str = include_str!("emit/global.rs.txt");

/// The ring of frames, which is the same source that the replayer runs.
const RING: &str = include_str!("ring.rs");

/// Returns a strategy as the text of a Rust file that depends on `loligo-allocators` alone.
///
/// # Examples
///
/// ```
/// use loligo_replay::strategies::{built_in, emit_rust};
///
/// let code = emit_rust(&built_in()[0]);
/// assert!(code.contains("pub fn with_strategy"));
/// ```
#[must_use]
pub fn emit_rust(strategy: &StrategyConfig) -> String {
    let mut code = Code { in_region: strategy.memory == Memory::Region, ..Code::default() };
    let root = code.node(&strategy.tree, None, true);
    let mut text = header(&strategy.name, code.in_region);
    let (argument, kind) = if code.in_region {
        ("region: &mut [MaybeUninit<u8>]", "that lies in `region`")
    } else {
        ("", "that grows from `pages`")
    };
    let separator = if code.in_region { ", " } else { "" };
    let _ = write!(
        text,
        "\n/// The whole strategy.\npub type Strategy<'a> = {};\n\n\
         /// Makes the strategy, {kind}, and lends it to `run`.\n\
         pub fn with_strategy<R>(\n    pages: &PageAllocator{separator}{argument},\n    \
         run: impl FnOnce(&Strategy<'_>) -> R,\n) -> R {{\n",
        root.kind
    );
    for Let { name, expression, .. } in &code.lets {
        let _ = writeln!(text, "    let {name} = &{expression};");
    }
    // It has a name so that programs of edition 2021 drop it before what it refers to.
    let _ = writeln!(text, "    let strategy = {};\n    run(&strategy)\n}}", root.expression);
    let argument = argument.replace("&mut", "&'static mut");
    let _ = write!(
        text,
        "\n/// Makes the strategy, {kind}, for as long as the program lives.\n#[must_use]\n\
         pub fn leaked(pages: &'static PageAllocator{separator}{argument}) -> &'static \
         Strategy<'static> {{\n"
    );
    for Let { name, expression, .. } in &code.lets {
        let _ = writeln!(text, "    let {name} = keep(pages, {expression});");
    }
    let _ = writeln!(text, "    keep(pages, {})\n}}", root.expression);
    for item in &code.items {
        text.push('\n');
        text.push_str(item);
    }
    text.push('\n');
    text.push_str(COMMON);
    if code.has_ring {
        let _ = write!(text, "\nuse ring::FrameRing;\n\nmod ring {{\n{RING}}}\n");
    }
    text
}

/// Returns a strategy as the text of a Rust file that makes it the allocator of the whole program,
/// for Rust (`#[global_allocator]`) or, without that line, for a library that serves C.
///
/// # Errors
///
/// A sentence if the strategy has one fixed region: nobody knows how large that of a program is.
///
/// # Examples
///
/// ```
/// use loligo_replay::strategies::{built_in, emit_global};
///
/// let code = emit_global(&built_in()[0], true).unwrap();
/// assert!(code.contains("#[global_allocator]"));
/// ```
pub fn emit_global(strategy: &StrategyConfig, for_rust: bool) -> Result<String, String> {
    if strategy.memory == Memory::Region {
        return Err(format!(
            "strategy `{}` is in one fixed region, and how much a whole program needs is not known; \
             leave out its `\"memory\": \"region\"`, so that it grows",
            strategy.name
        ));
    }
    let attribute = if for_rust { "#[global_allocator]\n" } else { "" };
    Ok(emit_rust(strategy) + &GLOBAL.replace("@ATTRIBUTE@", attribute))
}

fn header(name: &str, in_region: bool) -> String {
    let region = if in_region { "use core::mem::MaybeUninit;\n" } else { "" };
    format!(
        "//! Strategy `{name}`, written by `loligo`. It needs `loligo-allocators` alone:\n//!\n\
         //! ```toml\n//! [dependencies]\n//! {}\n//! ```\n\
         #![allow(dead_code, unused_imports, reason = \"one text for strategies of every kind\")]\n\n\
         use core::alloc::Layout;\nuse core::cell::Cell;\n{region}use core::ptr::NonNull;\n\n\
         use loligo_allocators::{{\n    AllocError, Allocator, Block, BuddyAllocator, ClassTable, \
         Damage, DefaultClasses, FrameAllocator,\n    HeapAllocator, Locked, Make, PageAllocator, \
         PoolAllocator, ProxyAllocator, SizeClasses, SlabAllocator, Stats,\n}};\n",
        crate::sources::dependency()
    )
}

/// What is being written.
#[derive(Default)]
struct Code {
    in_region: bool,
    /// What others refer to, in order.
    lets: Vec<Let>,
    items: Vec<String>,
    has_ring: bool,
    names: usize,
}

/// A node that others refer to by a name.
#[derive(Clone, Debug)]
struct Let {
    name: String,
    kind: String,
    expression: String,
}

/// A node as it is made.
#[derive(Clone, Debug)]
struct Made {
    /// Its type, with the lifetime `'a`.
    kind: String,
    expression: String,
    /// Whether it has `allocate_at`.
    by_site: bool,
}

/// The lender of a node.
#[derive(Clone, Debug)]
struct Lent {
    kind: String,
    expression: String,
    /// Whether it has `allocate_at`.
    by_site: bool,
}

impl Lent {
    fn pages() -> Self {
        Self { kind: "PageAllocator".to_owned(), expression: "pages".to_owned(), by_site: false }
    }

    fn of(over: Over, rest: Option<&Self>) -> Self {
        match (over, rest) {
            (Over::Rest, Some(rest)) => rest.clone(),
            _ => Self::pages(),
        }
    }
}

impl Code {
    /// Writes a node; `base` says whether it takes the region, where there is one.
    fn node(&mut self, tree: &Tree, rest: Option<&Lent>, base: bool) -> Made {
        let in_region = base && self.in_region;
        match tree {
            Tree::Heap(config) => heap(config, rest, in_region),
            Tree::Pool(config) => {
                let lent = Lent::of(config.over, rest);
                leaf(format!("PoolAllocator<'a, {}>", lent.kind), pool(config, &lent))
            }
            Tree::Slab(config) => {
                let large = self.referred("large", &config.large, rest, base);
                let classes = self.classes(config.classes);
                leaf(
                    format!("SlabAllocator<'a, {}, {classes}>", large.kind),
                    format!(
                        "SlabAllocator::with_classes_in(\"slab\", {}, {})",
                        config.region_bytes, large.expression
                    ),
                )
            }
            Tree::Buddy(config) => buddy(config, rest, in_region),
            Tree::Frame(config) => {
                self.has_ring = true;
                let lent = Lent::of(config.over, rest);
                leaf(
                    format!("FrameRing<'a, {}>", lent.kind),
                    format!(
                        "FrameRing::new({}, {}, {})",
                        config.segment_bytes, config.segments, lent.expression
                    ),
                )
            }
            Tree::Page(_) => {
                // In books of their own, or they would count what others take from the pages.
                let name = self.name("page");
                let expression = "PageAllocator::new(\"page\")".to_owned();
                let kind = "PageAllocator".to_owned();
                self.lets.push(Let { name: name.clone(), kind, expression });
                leaf("&'a PageAllocator".to_owned(), name)
            }
            Tree::Proxy(config) => {
                let of = self.referred("inner", &config.of, rest, base);
                let budget = config.budget.map(|bytes| format!(".with_budget({bytes})"));
                leaf(
                    format!("ProxyAllocator<'a, {}>", of.kind),
                    format!(
                        "ProxyAllocator::new_in(\"{}\", {}){}",
                        config.name.escape_default(),
                        of.expression,
                        budget.unwrap_or_default()
                    ),
                )
            }
            Tree::BySize(config) => self.by_size(config, rest, base),
            Tree::BySite(config) => {
                let classes = config.classes.iter().map(|c| (&*c.sites, &[][..], &c.to)).collect();
                self.chosen("BySite", classes, &config.rest, rest, base)
            }
            Tree::ByLifetime(config) => {
                let classes =
                    config.classes.iter().map(|c| (&*c.sites, &*c.sizes, &c.to)).collect();
                self.chosen("ByLifetime", classes, &config.rest, rest, base)
            }
        }
    }

    /// Writes a node that another refers to, under a new name.
    fn referred(&mut self, what: &str, tree: &Tree, rest: Option<&Lent>, base: bool) -> Lent {
        let Made { kind, expression, by_site } = self.node(tree, rest, base);
        let name = self.name(what);
        self.lets.push(Let { name: name.clone(), kind: kind.clone(), expression });
        Lent { kind, expression: name, by_site }
    }

    /// Puts a proxy before a rest, which counts what the rest lends to the other classes.
    fn lending(&mut self, rest: &Lent) -> Lent {
        let name = self.name("lent");
        let kind = format!("ProxyAllocator<'a, {}>", rest.kind);
        let expression = format!("ProxyAllocator::new_in(\"lent\", {})", rest.expression);
        self.lets.push(Let { name: name.clone(), kind: kind.clone(), expression });
        Lent { kind, expression: name, by_site: false }
    }

    fn name(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{what}_{}", self.names)
    }

    /// Writes a set of classes for a slab and returns its type.
    fn classes(&mut self, classes: Classes) -> &'static str {
        let (name, sizes) = match classes {
            Classes::Default => return "DefaultClasses",
            Classes::PowersOfTwo => ("PowersOfTwo", super::node::POWERS_OF_TWO),
            Classes::Small => ("Small", super::node::SMALL),
            Classes::Wide => ("Wide", super::node::WIDE),
        };
        let item = format!(
            "/// The size classes of a slab.\n#[derive(Debug)]\npub struct {name};\n\n\
             impl SizeClasses for {name} {{\n    const TABLE: &'static ClassTable =\n        \
             &ClassTable::new(&{sizes:?});\n}}\n"
        );
        if !self.items.contains(&item) {
            self.items.push(item);
        }
        name
    }
}

fn leaf(kind: String, expression: String) -> Made {
    Made { kind, expression, by_site: false }
}

/// Writes a heap.
fn heap(config: &HeapConfig, rest: Option<&Lent>, in_region: bool) -> Made {
    if in_region {
        return leaf(
            "HeapAllocator<'a>".to_owned(),
            "HeapAllocator::from_region(\"heap\", region)".to_owned(),
        );
    }
    let lent = Lent::of(config.over, rest);
    let from = lent.expression;
    let make = match config.region_bytes {
        Some(bytes) => format!("HeapAllocator::with_region_bytes_in(\"heap\", {bytes}, {from})"),
        None => format!("HeapAllocator::new_in(\"heap\", {from})"),
    };
    leaf(format!("HeapAllocator<'a, {}>", lent.kind), make)
}

/// Writes a buddy.
fn buddy(config: &BuddyConfig, rest: Option<&Lent>, in_region: bool) -> Made {
    let leaf_bytes = config.leaf;
    let Some(bytes) = config.bytes.filter(|_| !in_region) else {
        return leaf(
            "BuddyAllocator<'a>".to_owned(),
            format!(
                "BuddyAllocator::from_region(\"buddy\", {leaf_bytes}, region).expect(\"a region of a \
                 leaf and more\")"
            ),
        );
    };
    let lent = Lent::of(config.over, rest);
    leaf(
        format!("BuddyAllocator<'a, {}>", lent.kind),
        format!(
            "BuddyAllocator::new_in(\"buddy\", {bytes}, {leaf_bytes}, {}).expect(\"memory for the \
             buddy\")",
            lent.expression
        ),
    )
}

/// Returns the expression that makes a pool.
fn pool(config: &PoolConfig, lent: &Lent) -> String {
    let PoolConfig { bytes, align, .. } = config;
    let mut text = format!(
        "PoolAllocator::new_in(\"blocks of {bytes}\", block({bytes}, {align}), {})",
        lent.expression
    );
    if let Some(chunk) = config.chunk_bytes {
        let _ = write!(text, ".with_chunk_bytes({chunk})");
        if config.give_back_percent > 0 {
            let _ = write!(text, ".with_give_back({})", config.give_back_percent);
        }
    }
    text
}

/// Returns the class of each step of 8 bytes up to [`SMALL_MAX`], and the larger ranges.
fn tables(config: &BySizeConfig, numbers: &[usize]) -> (Vec<u8>, Vec<(u32, u32, usize)>) {
    let mut small = vec![u8::MAX; SMALL_MAX as usize / 8 + 1];
    let mut large = Vec::new();
    let mut next = 1;
    for (class, number) in config.classes.iter().zip(numbers) {
        let from = class.from.map_or(next, |from| from.max(1));
        for (step, entry) in small.iter_mut().enumerate() {
            let bytes = step as u32 * 8;
            if (from..=class.up_to).contains(&bytes) || (bytes == 0 && from == 1) {
                *entry = *number as u8;
            }
        }
        if class.up_to > SMALL_MAX {
            large.push((from.max(SMALL_MAX + 1), class.up_to, *number));
        }
        next = class.up_to.saturating_add(1);
    }
    (small, large)
}
