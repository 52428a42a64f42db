//! What is checked of each node while it is read, so that an error has its line and column.

use serde::Deserialize;

use super::{
    BuddyConfig, ByLifetimeConfig, BySiteConfig, BySizeConfig, Classes, FrameConfig, HeapConfig,
    LifetimeClass, Memory, Over, PoolConfig, ProxyConfig, SiteClass, SizeClass, SlabConfig,
    StrategyConfig, Tree,
};

/// The most classes of one node: a byte names them.
const CLASSES_MAX: usize = 200;

/// The largest block of a pool.
pub const POOL_BYTES_MAX: u32 = 64 << 20;

/// The greatest alignment of a pool's blocks.
const POOL_ALIGN_MAX: u32 = 4096;

/// Sizes up to here are looked up in a table.
pub const SMALL_MAX: u32 = 1024;

/// The greatest number of a site.
const SITE_MAX: u32 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStrategy {
    name: String,
    #[serde(default)]
    memory: Memory,
    tree: Tree,
}

impl TryFrom<RawStrategy> for StrategyConfig {
    type Error = String;

    fn try_from(raw: RawStrategy) -> Result<Self, String> {
        let RawStrategy { name, memory, tree } = raw;
        check_name(&name)?;
        check_over(&tree, false)?;
        match (memory, base_of(&tree)) {
            (Memory::Region, Tree::Heap(_) | Tree::Buddy(BuddyConfig { bytes: None, .. })) => {}
            (Memory::Region, base) => {
                return Err(format!(
                    "`memory` is `region`, so the tree's base must be a `heap` or a `buddy` without \
                     `bytes`, and is a `{}`",
                    base.key()
                ));
            }
            (Memory::Pages, _) => {}
        }
        check_buddies(&tree, memory == Memory::Region)?;
        Ok(Self { name, memory, tree })
    }
}

/// Returns the node that serves what no other takes.
pub(in super::super) fn base_of(tree: &Tree) -> &Tree {
    match tree {
        Tree::BySize(of) => base_of(&of.rest),
        Tree::BySite(of) => base_of(&of.rest),
        Tree::ByLifetime(of) => base_of(&of.rest),
        Tree::Proxy(of) => base_of(&of.of),
        Tree::Slab(of) => base_of(&of.large),
        _ => tree,
    }
}

/// Checks that `"over": "rest"` is used only where there is a rest.
fn check_over(tree: &Tree, has_rest: bool) -> Result<(), String> {
    let over = match tree {
        Tree::Heap(of) => of.over,
        Tree::Pool(of) => of.over,
        Tree::Buddy(of) => of.over,
        Tree::Frame(of) => of.over,
        _ => Over::Pages,
    };
    if over == Over::Rest && !has_rest {
        return Err(format!(
            "`over` of a `{}` is `rest`, but its node has no `rest`; leave `over` out",
            tree.key()
        ));
    }
    let below = tree.below();
    let branches = matches!(tree, Tree::BySize(_) | Tree::BySite(_) | Tree::ByLifetime(_));
    let last = below.len().saturating_sub(1);
    below.iter().enumerate().try_for_each(|(at, node)| check_over(node, branches && at < last))
}

/// Checks that each buddy but the base in a region says how large it is.
fn check_buddies(tree: &Tree, in_region: bool) -> Result<(), String> {
    let base: *const Tree = base_of(tree);
    fn each(tree: &Tree, base: *const Tree, in_region: bool) -> Result<(), String> {
        if let Tree::Buddy(BuddyConfig { bytes: None, .. }) = tree
            && !(in_region && core::ptr::eq(tree, base))
        {
            return Err("a `buddy` needs `bytes` unless it is the base of a strategy whose \
                        `memory` is `region`"
                .to_owned());
        }
        tree.below().into_iter().try_for_each(|node| each(node, base, in_region))
    }
    each(tree, base, in_region)
}

/// Checks a name: not empty, and without what separates names on the command line.
fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.contains(|c: char| c == ',' || c == '/' || c.is_control()) {
        return Err(format!(
            "`name` is `{}`; it must not be empty nor have a comma, slash or control character",
            name.escape_debug()
        ));
    }
    Ok(())
}

fn check_range(key: &str, value: u32, least: u32, most: u32) -> Result<(), String> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("`{key}` is {value}; it must be between {least} and {most}"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawHeap {
    region_bytes: Option<u32>,
    #[serde(default)]
    over: Over,
}

impl TryFrom<RawHeap> for HeapConfig {
    type Error = String;

    fn try_from(raw: RawHeap) -> Result<Self, String> {
        if let Some(bytes) = raw.region_bytes {
            check_range("region_bytes", bytes, 64 << 10, 1 << 30)?;
        }
        Ok(Self { region_bytes: raw.region_bytes, over: raw.over })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPool {
    bytes: u32,
    align: Option<u32>,
    chunk_bytes: Option<u32>,
    #[serde(default)]
    give_back_percent: u32,
    #[serde(default)]
    over: Over,
}

impl TryFrom<RawPool> for PoolConfig {
    type Error = String;

    fn try_from(raw: RawPool) -> Result<Self, String> {
        let RawPool { bytes, align, chunk_bytes, give_back_percent, over } = raw;
        check_range("bytes", bytes, 1, POOL_BYTES_MAX)?;
        let align = align.unwrap_or(Self::of(bytes).align);
        if !align.is_power_of_two() || align > POOL_ALIGN_MAX || !bytes.is_multiple_of(align) {
            return Err(format!(
                "`align` is {align}; it must be a power of two up to {POOL_ALIGN_MAX} that divides \
                 `bytes`, {bytes}"
            ));
        }
        if let Some(chunk) = chunk_bytes {
            check_range("chunk_bytes", chunk, 1024, 64 << 20)?;
        }
        check_range("give_back_percent", give_back_percent, 0, 10_000)?;
        if give_back_percent > 0 && chunk_bytes.is_none() {
            return Err(
                "`give_back_percent` needs `chunk_bytes`: chunks that grow to the size of \
                        all others are hardly ever empty"
                    .to_owned(),
            );
        }
        Ok(Self { bytes, align, chunk_bytes, give_back_percent, over })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSlab {
    #[serde(default)]
    classes: Classes,
    region_bytes: Option<u32>,
    large: Tree,
}

impl TryFrom<RawSlab> for SlabConfig {
    type Error = String;

    fn try_from(raw: RawSlab) -> Result<Self, String> {
        let region_bytes = raw.region_bytes.unwrap_or(1 << 20);
        check_range("region_bytes", region_bytes, 64 << 10, 1 << 30)?;
        Ok(Self { classes: raw.classes, region_bytes, large: raw.large })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBuddy {
    leaf: u32,
    bytes: Option<u32>,
    #[serde(default)]
    over: Over,
}

impl TryFrom<RawBuddy> for BuddyConfig {
    type Error = String;

    fn try_from(raw: RawBuddy) -> Result<Self, String> {
        let RawBuddy { leaf, bytes, over } = raw;
        if !leaf.is_power_of_two() || !(16..=1 << 20).contains(&leaf) {
            return Err(format!(
                "`leaf` is {leaf}; it must be a power of two between 16 and 1048576"
            ));
        }
        if let Some(bytes) = bytes {
            check_range("bytes", bytes, (leaf * 4).max(4096), 1 << 31)?;
        }
        Ok(Self { leaf, bytes, over })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFrame {
    segment_bytes: u32,
    segments: u32,
    #[serde(default)]
    over: Over,
}

impl TryFrom<RawFrame> for FrameConfig {
    type Error = String;

    fn try_from(raw: RawFrame) -> Result<Self, String> {
        let RawFrame { segment_bytes, segments, over } = raw;
        check_range("segment_bytes", segment_bytes, 4096, 64 << 20)?;
        if !segment_bytes.is_multiple_of(64) {
            return Err(format!("`segment_bytes` is {segment_bytes}; it must be a multiple of 64"));
        }
        check_range("segments", segments, 2, 4096)?;
        Ok(Self { segment_bytes, segments, over })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProxy {
    name: String,
    budget: Option<u64>,
    of: Tree,
}

impl TryFrom<RawProxy> for ProxyConfig {
    type Error = String;

    fn try_from(raw: RawProxy) -> Result<Self, String> {
        check_name(&raw.name)?;
        if raw.budget == Some(0) {
            return Err("`budget` is 0; leave it out for none".to_owned());
        }
        Ok(Self { name: raw.name, budget: raw.budget, of: raw.of })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSizeClass {
    from: Option<u32>,
    up_to: u32,
    to: Tree,
}

impl TryFrom<RawSizeClass> for SizeClass {
    type Error = String;

    fn try_from(raw: RawSizeClass) -> Result<Self, String> {
        let RawSizeClass { from, up_to, to } = raw;
        check_range("up_to", up_to, 1, u32::MAX)?;
        if from.is_some_and(|from| from > up_to) {
            return Err(format!("`from` is above `up_to`, {up_to}"));
        }
        let bounds = [from.unwrap_or(1).max(1) - 1, up_to];
        if let Some(odd) = bounds.iter().find(|at| **at <= SMALL_MAX && !at.is_multiple_of(8)) {
            return Err(format!(
                "a class ends at {odd}; up to {SMALL_MAX} `up_to` must be a multiple of 8, and \
                 `from` one more than such a multiple"
            ));
        }
        if let Tree::Pool(pool) = &to
            && pool.bytes < up_to
        {
            return Err(format!(
                "`up_to` is {up_to}, more than the `bytes` of its `pool`, {}",
                pool.bytes
            ));
        }
        Ok(Self { from, up_to, to })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBySize {
    classes: Vec<SizeClass>,
    rest: Tree,
}

impl TryFrom<RawBySize> for BySizeConfig {
    type Error = String;

    fn try_from(raw: RawBySize) -> Result<Self, String> {
        check_count(raw.classes.len())?;
        let mut end = 0;
        for class in &raw.classes {
            let from = class.from.map_or(end + 1, |from| from.max(1));
            if class.up_to <= end || from <= end {
                return Err(format!(
                    "`classes` must ascend: one that ends at {} comes after one that ends at {end}",
                    class.up_to
                ));
            }
            end = class.up_to;
        }
        Ok(Self { classes: raw.classes, rest: raw.rest })
    }
}

fn check_count(classes: usize) -> Result<(), String> {
    if (1..=CLASSES_MAX).contains(&classes) {
        return Ok(());
    }
    Err(format!("`classes` has {classes} entries; there must be 1 to {CLASSES_MAX}"))
}

/// Checks that each site is in one class.
fn check_sites<'a>(classes: impl Iterator<Item = &'a [u32]>) -> Result<(), String> {
    let mut seen = Vec::new();
    for site in classes.flatten() {
        check_range("sites", *site, 0, SITE_MAX)?;
        if seen.contains(site) {
            return Err(format!("site {site} is in two classes of `sites`; leave it in one"));
        }
        seen.push(*site);
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBySite {
    classes: Vec<SiteClass>,
    rest: Tree,
}

impl TryFrom<RawBySite> for BySiteConfig {
    type Error = String;

    fn try_from(raw: RawBySite) -> Result<Self, String> {
        check_count(raw.classes.len())?;
        check_sites(raw.classes.iter().map(|class| &*class.sites))?;
        Ok(Self { classes: raw.classes, rest: raw.rest })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawByLifetime {
    classes: Vec<LifetimeClass>,
    rest: Tree,
}

impl TryFrom<RawByLifetime> for ByLifetimeConfig {
    type Error = String;

    fn try_from(raw: RawByLifetime) -> Result<Self, String> {
        check_count(raw.classes.len())?;
        check_sites(raw.classes.iter().map(|class| &*class.sites))?;
        for class in &raw.classes {
            if class.sites.is_empty() && class.sizes.is_empty() {
                return Err(format!("class `{}` has neither `sites` nor `sizes`", class.lifetime));
            }
            if let Some([least, most]) = class.sizes.iter().find(|[least, most]| least > most) {
                return Err(format!("`sizes` has [{least}, {most}]; the lesser comes first"));
            }
        }
        Ok(Self { classes: raw.classes, rest: raw.rest })
    }
}
