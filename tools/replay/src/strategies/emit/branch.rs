//! The branches of a strategy as Rust.

use core::fmt::Write as _;

use super::super::config::{BySizeConfig, Over, PoolConfig, SMALL_MAX, Tree};
use super::{Code, Lent, Let, Made, pool, tables};

const BY_SIZE: &str = include_str!("by_size.rs.txt");
const CHOSEN: &str = include_str!("chosen.rs.txt");

/// The classes of a node that chooses by site or lifetime: sites, sizes, what serves them.
pub(super) type Classes<'c> = Vec<(&'c [u32], &'c [[u32; 2]], &'c Tree)>;

/// Another than a pool among the classes of a node.
struct Other {
    field: String,
    made: Made,
    passes_on: bool,
    number: usize,
    /// The sizes that lead to it, where all are above those of the table.
    large: Option<(u32, u32)>,
}

/// What the text of a branch says of its parts.
#[derive(Default)]
struct Parts {
    /// The fields that hold them.
    fields: String,
    /// What makes these.
    make: String,
    /// What each is called.
    parts: Vec<String>,
}

impl Code {
    /// Writes a node that chooses by size.
    pub(super) fn by_size(
        &mut self,
        config: &BySizeConfig,
        above: Option<&Lent>,
        base: bool,
    ) -> Made {
        let rest = self.referred("rest", &config.rest, above, base);
        let from = self.lets.len();
        let lent = self.lending(&rest);
        let pools: Vec<&PoolConfig> = config
            .classes
            .iter()
            .filter_map(|class| match &class.to {
                Tree::Pool(pool) => Some(pool),
                _ => None,
            })
            .collect();
        let mut numbers = Vec::new();
        let mut others: Vec<Other> = Vec::new();
        for class in &config.classes {
            if matches!(class.to, Tree::Pool(_)) {
                numbers.push(numbers.len() - others.len());
                continue;
            }
            let number = pools.len() + others.len();
            numbers.push(number);
            let field = format!("{}_{}", class.to.key().replace('-', "_"), class.up_to);
            let made = self.node(&class.to, Some(&lent), false);
            let large = class.from.filter(|from| *from > SMALL_MAX).map(|from| (from, class.up_to));
            others.push(Other { field, made, passes_on: class.to.passes_on(), number, large });
        }
        let name = self.name("BySize").replace('_', "");
        let kind = pool_kind(&pools, &lent);
        let mut make = String::from("            pools: [\n");
        for config in &pools {
            let mut of = Lent::of(config.over, Some(&lent));
            if is_mixed(&pools) {
                of.expression.push_str(" as &'a (dyn Allocator + 'a)");
            }
            let _ = writeln!(make, "                {},", pool(config, &of));
        }
        make.push_str("            ],\n");
        let fields = format!(
            "    /// A pool for each of the first classes.\n    pools: [{kind}; {}],\n",
            pools.len()
        );
        let parts = (0..pools.len()).map(|pool| format!("&self.pools[{pool}]")).collect();
        let text = filled(BY_SIZE, Parts { fields, make, parts }, &others, &rest, &lent);
        let (small, large) = tables(config, &numbers);
        let mut rows = String::new();
        for row in small.chunks(16) {
            let row: Vec<String> = row.iter().map(u8::to_string).collect();
            let _ = writeln!(rows, "        {},", row.join(", "));
        }
        let ranges: String = large
            .iter()
            .map(|(from, up_to, number)| format!("                {from}..={up_to} => {number},\n"))
            .collect();
        let text = text
            .replace("@SMALL@", &rows)
            .replace("@SMALL_MAX@", &SMALL_MAX.to_string())
            .replace("@SMALL_LEN@", &small.len().to_string())
            .replace("@LARGE@", &ranges)
            .replace("@POOL@", &kind)
            // Without pools all goes elsewhere, and a call more would be all that it costs.
            .replace("@INLINE@", if pools.is_empty() { "always" } else { "never" })
            .replace("@ALIGN@", &common_align(&pools))
            .replace("@CLASSES@", &config.classes.len().to_string())
            .replace("@CONST@", if others.is_empty() { "const " } else { "" });
        self.finish(name, &text, &rest, from)
    }

    /// Writes a node that chooses by site or lifetime.
    pub(super) fn chosen(
        &mut self,
        what: &str,
        classes: Classes<'_>,
        rest: &Tree,
        above: Option<&Lent>,
        base: bool,
    ) -> Made {
        let rest = self.referred("rest", rest, above, base);
        let from = self.lets.len();
        let lent = self.lending(&rest);
        let mut others = Vec::new();
        let (mut sites, mut sizes) = (String::new(), String::new());
        for (number, (of_sites, of_sizes, tree)) in classes.into_iter().enumerate() {
            if !of_sites.is_empty() {
                let list: Vec<String> = of_sites.iter().map(u32::to_string).collect();
                let _ = writeln!(sites, "            {} => {number},", list.join(" | "));
            }
            for [least, most] in of_sizes {
                let _ = writeln!(sizes, "            {least}..={most} => {number},");
            }
            let field = format!("{}_{number}", tree.key().replace('-', "_"));
            let made = self.node(tree, Some(&lent), false);
            // A pool refuses what does not fit its blocks, and the rest then serves it.
            let passes_on = tree.passes_on() || matches!(tree, Tree::Pool(_));
            others.push(Other { field, made, passes_on, number, large: None });
        }
        let name = self.name(what).replace('_', "");
        let text = filled(CHOSEN, Parts::default(), &others, &rest, &lent)
            .replace("@SITES@", &sites)
            .replace("@SIZES@", &sizes);
        self.finish(name, &text, &rest, from)
    }

    /// Keeps the text of a branch over `rest` whose classes refer to what is in the list from
    /// `from` on, and returns how it is made.
    fn finish(&mut self, name: String, text: &str, rest: &Lent, from: usize) -> Made {
        let mut taken = format!("pages: &'a PageAllocator, {}: &'a {}", rest.expression, rest.kind);
        let mut given = format!("pages, {}", rest.expression);
        for Let { name, kind, .. } in &self.lets[from..] {
            let _ = write!(taken, ", {name}: &'a {kind}");
            let _ = write!(given, ", {name}");
        }
        self.items.push(
            text.replace("@ARGUMENTS@", &taken)
                .replace("@REST_NAME@", &rest.expression)
                .replace("@NAME@", &name),
        );
        Made {
            kind: format!("{name}<'a>"),
            expression: format!("{name}::new({given})"),
            by_site: true,
        }
    }
}

/// Returns `true` if pools have their memory from more than one lender.
fn is_mixed(pools: &[&PoolConfig]) -> bool {
    pools.iter().any(|pool| pool.over != pools[0].over)
}

/// Returns the type of the pools of a node, all of one.
fn pool_kind(pools: &[&PoolConfig], rest: &Lent) -> String {
    if is_mixed(pools) {
        return "PoolAllocator<'a, dyn Allocator + 'a>".to_owned();
    }
    let over = pools.first().map_or(Over::Pages, |pool| pool.over);
    format!("PoolAllocator<'a, {}>", Lent::of(over, Some(rest)).kind)
}

/// Returns what a request's alignment is compared with: a number where all pools share one.
fn common_align(pools: &[&PoolConfig]) -> String {
    match pools {
        [first, rest @ ..] if rest.iter().all(|pool| pool.align == first.align) => {
            first.align.to_string()
        }
        _ => "pool.block_layout().align()".to_owned(),
    }
}

/// Fills what both kinds of branches have.
fn filled(template: &str, of_pools: Parts, others: &[Other], rest: &Lent, lent: &Lent) -> String {
    let Parts { mut fields, mut make, mut parts } = of_pools;
    let class = if template == CHOSEN {
        "Self::class_of(site, layout)"
    } else {
        "Self::class_of(layout.size())"
    };
    let [mut take, mut zeroed, mut free, mut same] = [const { String::new() }; 4];
    for Other { field, made, passes_on, number, large } in others {
        let leads_here = match large {
            Some((from, up_to)) => format!("({from}..={up_to}).contains(&layout.size())"),
            None => format!("{class} == {number}"),
        };
        let _ = writeln!(fields, "    {field}: {},", made.kind);
        let _ = writeln!(make, "            {field}: {},", made.expression);
        let call = if made.by_site { "allocate_at(site, layout)" } else { "allocate(layout)" };
        for (text, call) in [(&mut take, call), (&mut zeroed, "allocate_zeroed(layout)")] {
            let _ = writeln!(text, "        if {leads_here} {{");
            let _ = match passes_on {
                true => writeln!(
                    text,
                    "            if let Ok(block) = self.{field}.{call} {{\n                \
                     return Ok(block);\n            }}"
                ),
                false => writeln!(text, "            return self.{field}.{call};"),
            };
            text.push_str("        }\n");
        }
        let owns = if *passes_on {
            format!(" && self.{field}.owns(block.as_ptr())")
        } else {
            String::new()
        };
        let _ = writeln!(
            free,
            "        if {leads_here}{owns} {{\n            // SAFETY: this one gave the block \
             out.\n            return unsafe {{ self.{field}.deallocate_sized(block, layout) }};\n        }}"
        );
        if !passes_on {
            let _ = writeln!(
                same,
                "        if from == {number} && to == {number} {{\n            // SAFETY: this one gave the \
                 block out and serves the new size.\n            return unsafe {{ \
                 self.{field}.reallocate(block, old, new) }};\n        }}"
            );
        }
        parts.push(format!("&self.{field}"));
    }
    parts.push("self.rest".to_owned());
    let rest_take = if rest.by_site { "allocate_at(site, layout)" } else { "allocate(layout)" };
    template
        .replace("@FIELDS@", &fields)
        .replace("@MAKE@", &make)
        .replace("@REST@", &rest.kind)
        .replace("@TAKE@", &take)
        .replace("@TAKE_ZEROED@", &zeroed)
        .replace("@FREE@", &free)
        .replace("@SAME@", &same)
        .replace("@REST_TAKE@", &format!("self.rest.{rest_take}"))
        .replace("@LENT@", &lent.kind)
        .replace("@LENT_NAME@", &lent.expression)
        .replace("@PARTS_LEN@", &parts.len().to_string())
        .replace("@PARTS_LIST@", &parts.join(", "))
}
