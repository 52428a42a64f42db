//! Strategies as data, and their form in JSON.

use core::alloc::Layout;
use core::error::Error;
use core::fmt;

use serde::Deserialize;

/// The most sizes of one layer of pools: an index of one byte names them.
const POOLS_MAX: usize = 255;

/// The largest block of a pool.
const POOL_BYTES_MAX: u32 = 64 << 10;

/// A strategy: layers, each before the next, and a base for what no layer takes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategyConfig {
    /// The name of its row.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// The layers, the first one asked first.
    #[serde(default)]
    pub layers: Vec<LayerConfig>,
    /// What serves the rest, and gives the layers their memory.
    pub base: Base,
}

/// What stands under the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// A heap that grows from the pages of the system.
    Heap,
    /// A heap in one fixed region.
    HeapRegion,
    /// A buddy allocator in one fixed region.
    Buddy,
}

/// One layer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerConfig {
    /// A pool for each of some sizes.
    Pools(PoolsConfig),
    /// Frames in a ring for small blocks that die in the order in which they were made.
    Frame(FrameConfig),
    /// Pages of the system for big blocks.
    Pages(PagesConfig),
}

/// Pools for some sizes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawPools")]
pub struct PoolsConfig {
    /// The sizes, ascending.
    pub sizes: Vec<u32>,
}

/// Frames in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawFrame")]
pub struct FrameConfig {
    /// The largest block that goes to the ring.
    pub up_to: u32,
    /// The size of one frame.
    pub segment_bytes: u32,
    /// How many frames there are.
    pub segments: u32,
}

/// Pages for big blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PagesConfig {
    /// The smallest block that gets pages of its own.
    pub from: u32,
}

impl PoolsConfig {
    /// Returns the layout of the blocks of a size: aligned to the greatest power of two that divides
    /// it, up to a cache line.
    pub(super) fn layout(&self, size: u32) -> Layout {
        let align = 1_usize << size.trailing_zeros().min(6);
        Layout::from_size_align(size as usize, align)
            .expect("sizes of pools are checked, and the alignment is a power of two up to 64")
    }
}

/// The file: `{"strategies": [..]}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    strategies: Vec<StrategyConfig>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPools {
    sizes: Vec<u32>,
}

impl TryFrom<RawPools> for PoolsConfig {
    type Error = String;

    fn try_from(raw: RawPools) -> Result<Self, String> {
        if raw.sizes.is_empty() || raw.sizes.len() > POOLS_MAX {
            return Err(format!("pools need 1 to {POOLS_MAX} sizes"));
        }
        if !raw.sizes.is_sorted_by(|a, b| a < b) {
            return Err("the sizes of pools must ascend".to_owned());
        }
        if raw.sizes.iter().any(|size| !(1..=POOL_BYTES_MAX).contains(size)) {
            return Err(format!("the sizes of pools lie between 1 and {POOL_BYTES_MAX}"));
        }
        Ok(Self { sizes: raw.sizes })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFrame {
    up_to: u32,
    segment_bytes: u32,
    segments: u32,
}

impl TryFrom<RawFrame> for FrameConfig {
    type Error = String;

    fn try_from(raw: RawFrame) -> Result<Self, String> {
        let RawFrame { up_to, segment_bytes, segments } = raw;
        if !(4096..=64 << 20).contains(&segment_bytes) || segment_bytes % 64 != 0 {
            return Err("`segment_bytes` is a multiple of 64 between 4096 and 67108864".to_owned());
        }
        if !(2..=4096).contains(&segments) {
            return Err("`segments` lies between 2 and 4096".to_owned());
        }
        if up_to == 0 || up_to > segment_bytes / 4 {
            return Err("`up_to` lies between 1 and a quarter of `segment_bytes`".to_owned());
        }
        Ok(Self { up_to, segment_bytes, segments })
    }
}

/// Reads a name: not empty, and without what separates names on the command line.
fn name<'de, D: serde::Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    let name = String::deserialize(input)?;
    if name.is_empty() || name.contains(|c: char| c == ',' || c == '/' || c.is_control()) {
        let what = "a strategy's name is not empty and has no comma, slash or control character";
        return Err(serde::de::Error::custom(what));
    }
    Ok(name)
}

/// A file of strategies that cannot be used.
#[derive(Debug)]
pub struct StrategyError {
    /// The file.
    pub file: String,
    /// What is wrong; for a fault in the JSON with line and column.
    pub what: String,
}

impl fmt::Display for StrategyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; see docs/strategies.md", self.file, self.what)
    }
}

impl Error for StrategyError {}

/// Reads the strategies of a JSON file; `file` stands in errors.
///
/// # Errors
///
/// [`StrategyError`] with line and column for what is no valid list of strategies.
///
/// # Examples
///
/// ```
/// use loligo_replay::strategies::parse;
///
/// let text = r#"{"strategies": [{
///     "name": "small-pools",
///     "layers": [{"pools": {"sizes": [16, 32, 48]}}],
///     "base": "heap"
/// }]}"#;
/// assert_eq!(parse("mine.json", text)?[0].name, "small-pools");
/// let error = parse("mine.json", r#"{"strategy": []}"#).unwrap_err();
/// assert!(error.to_string().contains("line 1 column 11"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(file: &str, text: &str) -> Result<Vec<StrategyConfig>, StrategyError> {
    let fail = |what: String| StrategyError { file: file.to_owned(), what };
    let document: Document = serde_json::from_str(text).map_err(|error| fail(error.to_string()))?;
    let strategies = document.strategies;
    if strategies.is_empty() {
        return Err(fail("`strategies` is empty".to_owned()));
    }
    for (index, strategy) in strategies.iter().enumerate() {
        if strategies[..index].iter().any(|other| other.name == strategy.name) {
            return Err(fail(format!("two strategies are named `{}`", strategy.name)));
        }
    }
    Ok(strategies)
}
