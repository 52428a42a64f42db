//! The strategies that a trace may call for, and which of them are drawn.

mod edits;
mod lives;

use edits::Edits;
use lives::{Apart, Brief};

use super::profile::{Profile, SizeUse};
use crate::strategies::{
    BuddyConfig, BySizeConfig, Classes, FrameConfig, HeapConfig, Memory, Over, PageConfig,
    PoolConfig, SizeClass, SlabConfig, StrategyConfig, Tree, heap_alone,
};

/// The most bytes, in tenths of those of the live blocks at the peak, that the static model may
/// foresee for a candidate.
const TENTHS_MAX: u64 = 16;

/// What a pool's chunks may be: their bytes, and after how many frees it gives empty ones back.
const CHUNKS: [(Option<u32>, u32); 14] = [
    (None, 0),
    (Some(4 << 10), 0),
    (Some(4 << 10), 50),
    (Some(16 << 10), 0),
    (Some(16 << 10), 10),
    (Some(16 << 10), 50),
    (Some(64 << 10), 0),
    (Some(64 << 10), 10),
    (Some(64 << 10), 25),
    (Some(64 << 10), 50),
    (Some(64 << 10), 100),
    (Some(64 << 10), 200),
    (Some(256 << 10), 25),
    (Some(256 << 10), 100),
];

/// All strategies that are thought of for a trace.
#[derive(Clone, Debug)]
pub struct Space {
    shapes: Vec<Shape>,
}

/// What is drawn from a space, one lot after the other.
#[derive(Clone, Debug)]
pub struct Drawing<'p> {
    profile: &'p Profile,
    /// What the static model left, shuffled.
    pools: Vec<Shape>,
    others: Vec<Shape>,
    /// What was drawn, the heap first; without a shape what was made by an edit.
    drawn: Vec<(Option<Shape>, StrategyConfig)>,
    edits: Edits<'p>,
    /// How many strategies the static model dropped.
    pub dropped: usize,
}

/// A strategy by its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A heap with another first region.
    Heap { region_bytes: u32 },
    /// A slab before a heap or a buddy.
    Slab { classes: Classes, region_bytes: u32, leaf: Option<u32> },
    /// A buddy for all that fits it, before a heap.
    Buddy { leaf: u32, eighths: u64 },
    /// A ring for small blocks before a heap.
    Frame { up_to: u32, segment_bytes: u32, segments: u32 },
    /// Brief blocks apart.
    Brief(Brief),
    /// Sites apart.
    Apart(Apart),
    /// Pages for blocks from a size on, before a heap.
    Paged { from: u32, region_bytes: Option<u32> },
    /// Pools before a heap.
    Pools(Pools),
}

/// Which sizes get a pool, and of which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pools {
    pick: Pick,
    chunk: Option<u32>,
    give_back: u32,
    over: Over,
    /// How many of the most used sizes above 512 bytes get a pool too.
    large: usize,
    /// From which size on blocks are pages.
    pages: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pick {
    /// Every 16 bytes up to this size.
    Every(u32),
    /// This number of the most used sizes up to 512 bytes.
    Hottest(usize),
    /// This number of the sizes up to 4 KiB that would save most bytes of a heap's at the peak.
    Leanest(usize),
    /// This number of the most used sizes up to 4 KiB whose pools would cost hardly any bytes at
    /// the peak: those that save, and those of which few are alive at a time.
    Sparing(usize),
}

impl Space {
    /// Returns the space for a trace.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let mut shapes = Vec::new();
        shapes.extend([1, 4, 16, 256].map(|mib| Shape::Heap { region_bytes: mib << 20 }));
        for classes in [Classes::Default, Classes::PowersOfTwo, Classes::Small, Classes::Wide] {
            for region_bytes in [256 << 10, 1 << 20, 16 << 20] {
                for leaf in [None, Some(512), Some(4096)] {
                    shapes.push(Shape::Slab { classes, region_bytes, leaf });
                }
            }
        }
        for leaf in [16, 32, 64, 128, 256] {
            shapes.extend([9, 12, 16].map(|eighths| Shape::Buddy { leaf, eighths }));
        }
        for up_to in [64, 256, 1024] {
            for segment_bytes in [16 << 10, 64 << 10, 256 << 10, 1 << 20] {
                for segments in [4, 16, 64] {
                    shapes.push(Shape::Frame { up_to, segment_bytes, segments });
                }
            }
        }
        let (brief, apart) = lives::all(profile);
        shapes.extend(brief.into_iter().map(Shape::Brief));
        shapes.extend(apart.into_iter().map(Shape::Apart));
        let largest = profile.sizes.iter().map(|size| size.bytes).max().unwrap_or(0);
        for from in [15, 16, 17, 18, 19, 20].map(|log2| 1 << log2) {
            if largest >= u64::from(from) {
                let regions = [None, Some(1 << 20), Some(16 << 20)];
                shapes.extend(regions.map(|region_bytes| Shape::Paged { from, region_bytes }));
            }
        }
        shapes.extend(pools(profile).into_iter().map(Shape::Pools));
        Self { shapes }
    }

    /// Returns how many strategies the space has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Returns `true` if the space has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Begins to draw. The static model drops what would need far more memory than it holds; the
    /// rest is shuffled by the seed.
    #[must_use]
    pub fn drawing<'p>(&self, profile: &'p Profile, seed: u64) -> Drawing<'p> {
        let (kept, dropped): (Vec<Shape>, Vec<Shape>) = self.shapes.iter().partition(|shape| {
            foreseen_bytes(shape, profile) * 10 <= profile.peak_live_bytes * TENTHS_MAX
        });
        let (mut pools, mut others): (Vec<Shape>, Vec<Shape>) =
            kept.into_iter().partition(|shape| matches!(shape, Shape::Pools(_)));
        let mut random = seed;
        shuffle(&mut pools, &mut random);
        shuffle(&mut others, &mut random);
        let others = dealt(others);
        let drawn = vec![(None, heap_alone())];
        let edits = Edits::new(profile, random);
        Drawing { profile, pools, others, drawn, edits, dropped: dropped.len() }
    }
}

impl Drawing<'_> {
    /// Returns all candidates that were drawn, the heap first.
    pub fn candidates(&self) -> impl Iterator<Item = &StrategyConfig> {
        self.drawn.iter().map(|(_, strategy)| strategy)
    }

    /// Draws up to `count` more: a fifth of them are not pools, as long as there are any.
    pub fn draw(&mut self, count: usize) {
        let end = self.drawn.len() + count;
        let few = self.others.len().min(count / 5);
        for shape in self.others.split_off(self.others.len() - few) {
            self.add(shape);
        }
        while self.drawn.len() < end {
            match self.pools.pop().or_else(|| self.others.pop()) {
                Some(shape) => self.add(shape),
                None => return,
            }
        }
    }

    /// Draws up to `count` more that differ in one parameter from one of those at `near`, those in
    /// turn; of kinds that have few strategies any other of the kind.
    pub fn draw_near(&mut self, near: &[usize], count: usize) {
        let end = self.drawn.len() + count;
        let mut found = true;
        while found && self.drawn.len() < end {
            found = false;
            for index in near {
                let Some((Some(one), _)) = self.drawn.get(*index).cloned() else {
                    continue;
                };
                if self.drawn.len() < end
                    && let Some(shape) = self.take_near(one)
                {
                    self.add(shape);
                    found = true;
                }
            }
        }
    }

    /// Makes up to `count` more out of those at `of`, those in turn: with one class more, less or
    /// other, or with the classes of two of them. Such strategies are not of the space, which sets
    /// all pools alike.
    pub fn edit(&mut self, of: &[usize], count: usize) {
        let end = self.drawn.len() + count;
        let parents: Vec<Tree> = of
            .iter()
            .filter_map(|at| self.drawn.get(*at))
            .map(|(_, one)| one.tree.clone())
            .collect();
        // What is there already counts as a turn, so this ends where edits lead nowhere new.
        for (_, parent) in (0..count * 4).zip(parents.iter().cycle()) {
            if self.drawn.len() >= end {
                return;
            }
            if let Some(tree) = self.edits.next(parent, &parents) {
                self.add_tree(None, "edited", tree);
            }
        }
    }

    /// Takes a strategy near another out of what is left.
    fn take_near(&mut self, one: Shape) -> Option<Shape> {
        if let Shape::Pools(one) = one {
            let at = self.pools.iter().rposition(
                |other| matches!(other, Shape::Pools(other) if one.differences(other) == 1),
            );
            return at.map(|at| self.pools.remove(at));
        }
        let at = self.others.iter().rposition(|other| other.word() == one.word());
        at.map(|at| self.others.remove(at))
    }

    /// Adds a candidate unless it is one already, under another shape.
    fn add(&mut self, shape: Shape) {
        let Some(tree) = shape.tree(self.profile) else {
            return;
        };
        self.add_tree(Some(shape), shape.word(), tree);
    }

    fn add_tree(&mut self, shape: Option<Shape>, word: &str, tree: Tree) {
        if self.candidates().all(|other| other.tree != tree) {
            let name = format!("{word}-{}", self.drawn.len());
            self.drawn.push((shape, StrategyConfig { name, memory: Memory::Pages, tree }));
        }
    }
}

/// Returns all sets of pools.
fn pools(profile: &Profile) -> Vec<Pools> {
    let mut picks: Vec<Pick> = [64, 96, 128, 192, 256, 512].map(Pick::Every).to_vec();
    picks.extend([0, 2, 3, 4, 6, 8, 12].map(Pick::Hottest));
    let lean = leanest(profile).len();
    picks.extend([1, 2, 3, 4, 6, 8, 12].map(|n: usize| n.min(lean)).map(Pick::Leanest));
    picks.retain(|pick| *pick != Pick::Leanest(0));
    picks.dedup();
    let spare = sparing(profile).len();
    let spare = [4, 8, 16, 32].map(|n: usize| n.min(spare)).map(Pick::Sparing);
    picks.extend(spare.into_iter().filter(|pick| *pick != Pick::Sparing(0)));
    picks.dedup();
    let large = large_sizes(profile).len().min(8);
    let pages = paged_from(profile);
    let mut all = Vec::new();
    for pick in picks {
        for (chunk, give_back) in CHUNKS {
            for over in [Over::Rest, Over::Pages] {
                for large in [0, 2, 4, 8].into_iter().filter(|n| *n <= large) {
                    for pages in pages.iter().copied() {
                        if pick != Pick::Hottest(0) || large > 0 {
                            all.push(Pools { pick, chunk, give_back, over, large, pages });
                        }
                    }
                }
            }
        }
    }
    all
}

/// The sizes from which on blocks may be pages: those that part the large blocks of the trace.
fn paged_from(profile: &Profile) -> Vec<Option<u32>> {
    let mut pages = vec![None];
    let mut below = u64::MAX;
    for from in [1 << 20, 1 << 18, 1 << 17, 1 << 16_u32] {
        let parted = u64::from(from)..below;
        if profile.sizes.iter().any(|size| parted.contains(&size.bytes)) {
            pages.push(Some(from));
        }
        below = u64::from(from);
    }
    pages
}

/// The sizes up to 4 KiB whose pools would save bytes, those that save most first.
fn leanest(profile: &Profile) -> Vec<&SizeUse> {
    let window = peak_window(profile);
    let small = profile.sizes.iter().filter(|size| size.bytes <= 4096);
    let mut found: Vec<&SizeUse> = small.filter(|size| size.saving(window) > 4096.0).collect();
    found.sort_by(|a, b| b.saving(window).total_cmp(&a.saving(window)));
    found
}

/// The sizes up to 4 KiB whose pools would cost at most a thousandth of the peak, most used first.
fn sparing(profile: &Profile) -> Vec<&SizeUse> {
    let window = peak_window(profile);
    let cost_max = profile.peak_live_bytes as f64 / 1000.0;
    let small = profile.sizes.iter().filter(|size| size.bytes <= 4096 && size.operations > 100);
    small.filter(|size| size.saving(window) >= -cost_max).collect()
}

/// Returns the window at whose end most bytes are alive.
fn peak_window(profile: &Profile) -> usize {
    let peak = profile.live_bytes.iter().enumerate().max_by_key(|(_, bytes)| **bytes);
    peak.map_or(0, |(window, _)| window)
}

/// The sizes above 512 bytes that are asked for most, as far as a pool can hold them.
fn large_sizes(profile: &Profile) -> Vec<&SizeUse> {
    let of = profile.sizes.iter();
    of.filter(|size| size.bytes > 512 && size.bytes <= 1 << 20 && size.operations > 100).collect()
}

impl Shape {
    fn word(&self) -> &'static str {
        match self {
            Self::Heap { .. } => "heap",
            Self::Slab { .. } => "slab",
            Self::Buddy { .. } => "buddy",
            Self::Frame { .. } => "frames",
            Self::Brief(_) => "brief",
            Self::Apart(_) => "sites",
            Self::Paged { .. } => "paged",
            Self::Pools(_) => "pools",
        }
    }

    /// Returns the tree; `None` where the trace gives no reason for one.
    fn tree(&self, profile: &Profile) -> Option<Tree> {
        let heap = |region_bytes| Tree::Heap(HeapConfig { region_bytes, over: Over::Pages });
        let one = |from, up_to, to| {
            let classes = vec![SizeClass { from, up_to, to }];
            Tree::BySize(Box::new(BySizeConfig { classes, rest: heap(None) }))
        };
        Some(match *self {
            Self::Heap { region_bytes } => heap(Some(region_bytes)),
            Self::Slab { classes, region_bytes, leaf } => {
                let large = match leaf {
                    None => heap(None),
                    Some(leaf) => one(None, u32::MAX, buddy(leaf, 16, profile)?),
                };
                Tree::Slab(Box::new(SlabConfig { classes, region_bytes, large }))
            }
            Self::Buddy { leaf, eighths } => one(None, u32::MAX, buddy(leaf, eighths, profile)?),
            Self::Frame { up_to, segment_bytes, segments } => {
                let frame = FrameConfig { segment_bytes, segments, over: Over::Pages };
                one(None, up_to, Tree::Frame(frame))
            }
            Self::Paged { from, region_bytes } => {
                let to = Tree::Page(PageConfig {});
                let classes = vec![SizeClass { from: Some(from), up_to: u32::MAX, to }];
                Tree::BySize(Box::new(BySizeConfig { classes, rest: heap(region_bytes) }))
            }
            Self::Brief(brief) => brief.tree(profile)?,
            Self::Apart(apart) => apart.tree(profile)?,
            Self::Pools(pools) => {
                let mut classes = pools.classes(profile);
                if let Some(from) = pools.pages {
                    classes.retain(|class| class.up_to < from);
                    let to = Tree::Page(PageConfig {});
                    classes.push(SizeClass { from: Some(from), up_to: u32::MAX, to });
                }
                if classes.is_empty() {
                    return None;
                }
                Tree::BySize(Box::new(BySizeConfig { classes, rest: heap(None) }))
            }
        })
    }
}

/// Returns the alignment that blocks of a size want of a pool.
fn align_of(profile: &Profile, bytes: u64) -> u64 {
    let found = profile.sizes.iter().find(|size| size.bytes == bytes);
    found.map_or(16, |size| size.align.clamp(16, 4096))
}

/// Returns a buddy of `eighths` eighths of the peak.
fn buddy(leaf: u32, eighths: u64, profile: &Profile) -> Option<Tree> {
    let bytes = (profile.peak_live_bytes.max(1 << 16) * eighths / 8).next_multiple_of(4096);
    let bytes = u32::try_from(bytes).ok().filter(|bytes| *bytes <= 1 << 31)?;
    Some(Tree::Buddy(BuddyConfig { leaf, bytes: Some(bytes), over: Over::Pages }))
}

impl Pools {
    /// Returns in how many parameters two differ.
    fn differences(&self, other: &Self) -> usize {
        usize::from(self.pick != other.pick)
            + usize::from((self.chunk, self.give_back) != (other.chunk, other.give_back))
            + usize::from(self.over != other.over)
            + usize::from(self.large != other.large)
            + usize::from(self.pages != other.pages)
    }

    /// Returns the sizes that get a pool, ascending, each with the size below it that does not.
    fn sizes(&self, profile: &Profile) -> Vec<(u32, u32)> {
        let align = |bytes: u64| align_of(profile, bytes);
        let mut picked: Vec<u64> = match self.pick {
            Pick::Every(up_to) => (1..=u64::from(up_to) / 16).map(|n| n * 16).collect(),
            Pick::Hottest(count) => {
                let small = profile.sizes.iter().filter(|size| size.bytes <= 512);
                small.take(count).map(|size| size.bytes).collect()
            }
            Pick::Leanest(count) => {
                leanest(profile).into_iter().take(count).map(|size| size.bytes).collect()
            }
            Pick::Sparing(count) => {
                sparing(profile).into_iter().take(count).map(|size| size.bytes).collect()
            }
        };
        picked.extend(large_sizes(profile).iter().take(self.large).map(|size| size.bytes));
        picked.sort_unstable();
        picked.dedup();
        // Requests that are aligned come with lesser sizes, so one pool takes all between.
        let aligned: Vec<u64> = picked.iter().copied().filter(|bytes| align(*bytes) > 16).collect();
        picked.retain(|bytes| !aligned.iter().any(|of| of - align(*of) < *bytes && bytes < of));
        let mut sizes: Vec<(u32, u32)> = Vec::new();
        for bytes in picked {
            let grain = align(bytes);
            // A block whose size is not a multiple of its alignment was rounded up to it, and
            // includes the sizes in between.
            let least = sizes.last().map_or(0, |(_, last)| *last);
            let below = (bytes.saturating_sub(grain) as u32).max(least);
            if u64::from(below) < bytes {
                sizes.push((below, bytes as u32));
            }
        }
        sizes
    }

    fn classes(&self, profile: &Profile) -> Vec<SizeClass> {
        let sizes = self.sizes(profile).into_iter();
        sizes.map(|(below, bytes)| self.class(profile, below, bytes)).collect()
    }

    /// Returns the class of a pool for what is above `below` and up to `bytes`.
    fn class(&self, profile: &Profile, below: u32, bytes: u32) -> SizeClass {
        let align = align_of(profile, bytes.into()).min(1 << bytes.trailing_zeros());
        let pool = PoolConfig {
            bytes,
            align: align as u32,
            chunk_bytes: self.chunk_for(bytes),
            give_back_percent: if self.chunk.is_some() { self.give_back } else { 0 },
            over: self.over,
        };
        SizeClass { from: Some(below + 1), up_to: bytes, to: Tree::Pool(pool) }
    }

    /// Returns the bytes of a chunk: in the heap they leave room for its header, so that chunks are
    /// adjacent.
    fn chunk_for(&self, bytes: u32) -> Option<u32> {
        let chunk = self.chunk?;
        let least = (bytes * 4 + 512).next_power_of_two();
        let header = if self.over == Over::Rest { 16 } else { 0 };
        Some(chunk.max(least) - header)
    }
}

/// Returns the bytes that a strategy would need at its peak, as far as they follow from the sizes:
/// pools that never give back hold what each had at its own peak, exactly for pools of one size.
fn foreseen_bytes(shape: &Shape, profile: &Profile) -> u64 {
    let Shape::Pools(pools) = shape else {
        return profile.peak_live_bytes;
    };
    let sizes = pools.sizes(profile);
    let windows = profile.live_bytes.len();
    let mut rest = vec![0_u64; windows];
    let mut pooled = 0;
    for of in &profile.sizes {
        let class = sizes
            .iter()
            .find(|(below, up_to)| u64::from(*below) < of.bytes && of.bytes <= u64::from(*up_to));
        match class {
            Some((_, bytes)) if pools.give_back == 0 => pooled += of.peak_live * u64::from(*bytes),
            _ => {
                for (rest, live) in rest.iter_mut().zip(&of.live) {
                    *rest += u64::from(*live) * of.bytes;
                }
            }
        }
    }
    pooled + rest.into_iter().max().unwrap_or(0)
}

/// Returns the strategies so that their kinds take turns from the end on, each in its order: a kind
/// of which there are few is then drawn as soon as one of which there are many.
fn dealt(shapes: Vec<Shape>) -> Vec<Shape> {
    let mut turns: Vec<(usize, Shape)> = Vec::new();
    for shape in shapes {
        let before = turns.iter().filter(|(_, other)| other.word() == shape.word()).count();
        turns.push((before, shape));
    }
    turns.sort_by_key(|(turn, _)| core::cmp::Reverse(*turn));
    turns.into_iter().map(|(_, shape)| shape).collect()
}

/// Shuffles by a seed, the same everywhere.
fn shuffle<T>(of: &mut [T], random: &mut u64) {
    for last in (1..of.len()).rev() {
        *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (*random ^ (*random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        of.swap(last, ((bits ^ (bits >> 31)) % (last as u64 + 1)) as usize);
    }
}
