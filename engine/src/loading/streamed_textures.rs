//! The large levels of textures, which come and go under a budget of bytes on the card.
//!
//! A texture begins with its small levels. The renderer measures how large each material is in the
//! pictures, and the texture whose object is largest is the first that is given the levels which it
//! needs. Where there is no room, textures of objects that are smaller by a margin lose levels.
//!
//! All is decided on the main thread, by numbers that the frame before has brought back: without a
//! thread that reads, each run has the same levels in the same frames.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_diagnostics::{Log, log};
use loligo_render::{CardBlocks, PLACEHOLDER_PIXELS, TextureTail};
use loligo_resources::{FileRequest, ResourceKey};

use super::Content;
use super::reader::{LevelsRequest, UNDER_WAY_MAX, Words};
use crate::assets::{Assets, NO_TEXTURE, Prepared, TextureLevels};
use crate::error::EngineError;
use crate::memory::SharedAllocator;

/// By which share an object must be larger than another one to take its levels, and by which a
/// texture may be larger than it needs to be before that is for others to take.
const MARGIN: f32 = 1.25;

/// The bytes of the texture that is in the place of one that is missing.
const PLACEHOLDER_BYTES: u64 = 4 * (PLACEHOLDER_PIXELS as u64).pow(2);

/// The share of a size by which it must change to be taken notice of.
const NOTICED: f32 = 1.0 / 16.0;

/// The large levels of all textures.
///
/// # Invariants
///
/// 1. What is held, of textures that are there, that are on their way, and that are to go, is not
///    more than the budget, unless the small levels alone are.
/// 2. There is room in it for a smaller copy of any one texture: levels go by such a copy.
pub(crate) struct StreamedTextures<'m> {
    budget: u64,
    /// Which blocks the card stores as they are.
    reads_blocks: CardBlocks,
    /// By their numbers.
    textures: Array<'m, Option<Streamed>, SharedAllocator<'m>>,
    /// The textures of each material, by its state.
    materials: Array<'m, [u32; 4], SharedAllocator<'m>>,
    /// The numbers of all textures, the most important first, when that was last found out.
    order: Array<'m, u32, SharedAllocator<'m>>,
    /// Which levels are to be read.
    asked: Array<'m, u32, SharedAllocator<'m>>,
    /// How many are being read.
    under_way: usize,
    generation: u32,
    /// Whether there are new sizes, or room.
    is_changed: bool,
    /// Whether it was said that the budget is too small.
    is_warned: bool,
}

/// A texture.
#[derive(Clone, Copy)]
struct Streamed {
    key: ResourceKey,
    file: FileRequest,
    tail: TextureTail,
    /// Which of the textures that had its number.
    generation: u32,
    /// The largest level that is on the card.
    resident: u32,
    next: Option<Next>,
    /// How large its objects are, in pixels, and how large they are found to be.
    size: f32,
    seen: f32,
    /// Its file cannot be read.
    is_broken: bool,
}

/// What its largest level will be.
#[derive(Clone, Copy)]
struct Next {
    level: u32,
    /// The number of the uploads that have it, once they do.
    sent: Option<u64>,
}

/// How much of a budget for textures is held.
///
/// # Memory
///
/// 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureMemory {
    /// The bytes of all textures on the card, with those that are on their way there or will go once
    /// the next frame is drawn.
    pub bytes: u64,
    /// The most that there may be.
    pub budget: u64,
    /// How many textures there are.
    pub count: u64,
    /// How many have all their levels.
    pub whole: u64,
}

impl<'m> StreamedTextures<'m> {
    pub(crate) const fn new_in(budget: u64, memory: SharedRef<'m>) -> Self {
        Self {
            budget,
            reads_blocks: CardBlocks::ALL,
            textures: Array::new_in(memory),
            materials: Array::new_in(memory),
            order: Array::new_in(memory),
            asked: Array::new_in(memory),
            under_way: 0,
            generation: 0,
            is_changed: false,
            is_warned: false,
        }
    }

    pub(crate) const fn budget(&self) -> u64 {
        self.budget
    }

    /// Says which blocks the card stores as they are.
    pub(crate) const fn set_reads_blocks(&mut self, reads_blocks: CardBlocks) {
        self.reads_blocks = reads_blocks;
    }

    /// Learns a texture that comes with its small levels; it may be another one than before.
    pub(super) fn put(
        &mut self,
        number: u32,
        key: ResourceKey,
        file: FileRequest,
        tail: TextureTail,
    ) -> Result<(), GrowError> {
        let at = number as usize;
        if at >= self.textures.len() {
            self.textures.try_resize(at + 1, None)?;
        }
        self.order.try_reserve(self.textures.len())?;
        self.asked.try_reserve(self.textures.len())?;
        self.asked.retain(|asked| *asked != number);
        self.generation = self.generation.wrapping_add(1);
        let size = self.textures[at].map_or(0.0, |old| old.size);
        self.textures[at] = Some(Streamed {
            key,
            file,
            tail,
            generation: self.generation,
            resident: tail.levels(),
            next: None,
            size,
            seen: size,
            is_broken: false,
        });
        self.is_changed = true;
        Ok(())
    }

    /// Forgets a texture that is gone.
    pub(super) fn forget(&mut self, number: u32) {
        if let Some(texture) = self.textures.get_mut(number as usize) {
            *texture = None;
            self.asked.retain(|asked| *asked != number);
            self.is_changed = true;
        }
    }

    /// Learns which textures a material has.
    pub(super) fn learn(&mut self, state: u32, textures: [u32; 4]) -> Result<(), GrowError> {
        let at = state as usize;
        if at >= self.materials.len() {
            self.materials.try_resize(at + 1, [NO_TEXTURE; 4])?;
        }
        self.materials[at] = textures;
        Ok(())
    }

    /// Takes notice of a frame that was drawn: its uploads are on the card, and materials were so
    /// large in it, if that was measured.
    pub(crate) fn taken(&mut self, uploads: u64, sizes: &[f32]) {
        for texture in self.textures.iter_mut().flatten() {
            if let Some(next) = texture.next
                && next.sent.is_some_and(|sent| sent <= uploads)
            {
                (texture.resident, texture.next) = (next.level, None);
                self.is_changed = true;
            }
        }
        if sizes.is_empty() {
            return;
        }
        self.textures.iter_mut().flatten().for_each(|texture| texture.seen = 0.0);
        for (size, textures) in sizes.iter().zip(&*self.materials).filter(|(size, _)| **size > 0.0)
        {
            for number in textures {
                if let Some(Some(texture)) = self.textures.get_mut(*number as usize) {
                    texture.seen = texture.seen.max(*size);
                }
            }
        }
        for texture in self.textures.iter_mut().flatten() {
            // Of infinite ones there is no difference.
            let is_other = (texture.seen - texture.size).abs() > texture.size * NOTICED;
            if is_other || texture.seen.is_finite() != texture.size.is_finite() {
                texture.size = texture.seen;
                self.is_changed = true;
            }
        }
    }

    /// Returns what is on the card and on its way there.
    pub(crate) fn held(&self) -> TextureMemory {
        let (bytes, budget) = (PLACEHOLDER_BYTES, self.budget);
        let mut held = TextureMemory { bytes, budget, ..TextureMemory::default() };
        for texture in self.textures.iter().flatten() {
            held.count += 1;
            held.whole += u64::from(texture.resident == 0);
            held.bytes += self.bytes_of(texture, texture.resident);
            held.bytes += texture.next.map_or(0, |next| self.bytes_of(texture, next.level));
        }
        held
    }

    /// Decides which levels come and which go. What is to be read is in `asked` then; what goes is
    /// returned by `shrink`.
    fn decide(
        &mut self,
        mut shrink: impl FnMut(u32, u32, &TextureTail) -> Result<u64, GrowError>,
    ) -> Result<(), GrowError> {
        self.order.clear();
        let there = self.textures.iter().enumerate().filter(|(_, texture)| texture.is_some());
        self.order.extend(there.map(|(number, _)| number as u32));
        let size = |number: u32| self.textures[number as usize].map_or(0.0, |of| of.size);
        self.order.sort_unstable_by(|one, other| {
            size(*other).total_cmp(&size(*one)).then(one.cmp(other))
        });
        let mut sums = self.sums();
        for place in 0..self.order.len() {
            let number = self.order[place];
            let Some(texture) = self.textures[number as usize] else { continue };
            let wanted = texture.tail.level_for(texture.size);
            if texture.next.is_some() || texture.is_broken || wanted >= texture.resident {
                continue;
            }
            for level in wanted..texture.resident {
                let bytes = self.bytes_of(&texture, level);
                let own = self.bytes_of(&texture, texture.resident);
                let spare = sums.copy.max(self.bytes_of(&texture, level + 1));
                let then = sums.then + bytes - own;
                if sums.now + bytes <= self.budget && then + spare <= self.budget {
                    self.textures[number as usize] =
                        Some(Streamed { next: Some(Next { level, sent: None }), ..texture });
                    self.asked.push(number);
                    sums.now += bytes;
                    sums.then = then;
                    sums.copy = spare;
                    break;
                }
                // There may be room once others have gone.
                let needed = bytes + spare.saturating_sub(own);
                if self.make_room(needed, place, &mut sums, &mut shrink)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Takes levels of textures that are less important than the one at a place of the order, until
    /// there is room for `needed` bytes. Returns whether there will be.
    fn make_room(
        &mut self,
        needed: u64,
        place: usize,
        sums: &mut Sums,
        shrink: &mut impl FnMut(u32, u32, &TextureTail) -> Result<u64, GrowError>,
    ) -> Result<bool, GrowError> {
        let size = self.textures[self.order[place] as usize].map_or(0.0, |texture| texture.size);
        let victim = |texture: &Streamed| {
            let least = texture.tail.level_for(texture.size * MARGIN);
            let is_smaller = texture.size * MARGIN < size;
            if texture.next.is_some() || texture.resident >= texture.tail.levels() {
                None
            } else if least > texture.resident {
                Some(least)
            } else {
                is_smaller.then_some(texture.resident + 1)
            }
        };
        // Nothing goes where that would not be enough.
        let mut there_could_be = self.budget.saturating_sub(sums.then);
        for number in self.order.iter().rev() {
            let Some(texture) = self.textures[*number as usize] else { continue };
            if victim(&texture).is_some() {
                let least = if texture.size * MARGIN < size {
                    texture.tail.levels()
                } else {
                    texture.tail.level_for(texture.size * MARGIN)
                };
                there_could_be += self.bytes_of(&texture, texture.resident);
                there_could_be -= self.bytes_of(&texture, least);
            }
        }
        if there_could_be < needed {
            return Ok(false);
        }
        for at in (0..self.order.len()).rev() {
            if sums.then + needed <= self.budget {
                break;
            }
            let number = self.order[at];
            let Some(texture) = self.textures[number as usize] else { continue };
            let Some(level) = victim(&texture) else { continue };
            let bytes = self.bytes_of(&texture, level);
            if sums.now + bytes > self.budget {
                // Its copy has no room before others have gone.
                continue;
            }
            let sent = Some(shrink(number, level, &texture.tail)?);
            self.textures[number as usize] =
                Some(Streamed { next: Some(Next { level, sent }), ..texture });
            sums.now += bytes;
            sums.then = sums.then + bytes - self.bytes_of(&texture, texture.resident);
        }
        Ok(true)
    }

    /// Returns what is held now, and what will be once all is done that is on its way.
    fn sums(&self) -> Sums {
        let mut sums = Sums { now: self.held().bytes, then: PLACEHOLDER_BYTES, copy: 0 };
        for texture in self.textures.iter().flatten() {
            let level = texture.next.map_or(texture.resident, |next| next.level);
            sums.then += self.bytes_of(texture, level);
            if level < texture.tail.levels() {
                sums.copy = sums.copy.max(self.bytes_of(texture, level + 1));
            }
        }
        sums
    }

    fn bytes_of(&self, texture: &Streamed, level: u32) -> u64 {
        texture.tail.card_bytes(level, self.reads_blocks)
    }
}

/// Sums of bytes.
struct Sums {
    /// What is held, with what is on its way.
    now: u64,
    /// What will be once it is there.
    then: u64,
    /// The largest copy that is made where a texture loses a level.
    copy: u64,
}

impl<'m: 'e, 'e> Content<'e, 'm> {
    /// Goes on with the large levels of textures: what was read goes to the card, and where sizes
    /// have changed, others are asked for.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory; it goes on with a later frame.
    pub(crate) fn stream_textures(
        &mut self,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        let Some(textures) = &mut self.textures else { return Ok(()) };
        if let Some(reader) = self.reader {
            while let Some((levels, words)) = reader.take_levels() {
                textures.under_way -= 1;
                arrive(textures, &mut self.assets, &levels, words, log)?;
            }
        }
        if core::mem::take(&mut textures.is_changed) {
            let assets = &mut self.assets;
            let memory = assets.memory();
            textures.decide(|texture, level, tail| {
                let levels = levels_of(texture, tail, level);
                assets.resize_texture(levels, Array::new_in(memory))
            })?;
            warn_of_budget(textures, log);
        }
        while let Some(number) = textures.asked.first().copied() {
            if textures.under_way >= UNDER_WAY_MAX {
                break;
            }
            textures.asked.remove(0);
            let Some(levels) = textures.request(number) else { continue };
            if let Some(reader) = self.reader {
                reader.ask_levels(levels);
                textures.under_way += 1;
            } else {
                let words = levels.read(&self.folder, self.assets.memory());
                arrive(textures, &mut self.assets, &levels, words, log)?;
            }
        }
        Ok(())
    }

    /// Adds a mesh or a texture, or replaces it.
    pub(super) fn put_asset(
        &mut self,
        key: ResourceKey,
        prepared: Prepared<'m, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        let tail = match &prepared {
            Prepared::Texture { tail, .. } => Some(*tail),
            _ => None,
        };
        self.assets.put(key, prepared)?;
        if let (Some(tail), Some(textures), Some(number)) =
            (tail, &mut self.textures, self.assets.texture(key))
        {
            let file = self.resources.request(key)?.file();
            textures.put(number, key, file, tail)?;
        }
        Ok(())
    }
}

impl StreamedTextures<'_> {
    /// Returns what is to be read for a texture that has a next level.
    fn request(&self, texture: u32) -> Option<LevelsRequest> {
        let of = self.textures.get(texture as usize).copied().flatten()?;
        let next = of.next.filter(|next| next.sent.is_none())?;
        let Streamed { key, file, tail, generation, resident, .. } = of;
        let (first, end) = (next.level, resident);
        Some(LevelsRequest { texture, generation, key, file, tail, first, end })
    }
}

/// Sends levels that were read to the card.
fn arrive<'m>(
    textures: &mut StreamedTextures<'m>,
    assets: &mut Assets<'m, SharedAllocator<'m>>,
    levels: &LevelsRequest,
    words: Result<Words<'m>, EngineError>,
    log: &Log<'_, SharedAllocator<'m>>,
) -> Result<(), EngineError> {
    let LevelsRequest { texture, generation, tail, first, .. } = levels;
    let found = textures.textures.get_mut(*texture as usize).and_then(Option::as_mut);
    // Another one may have its number.
    let Some(own) = found.filter(|own| own.generation == *generation) else { return Ok(()) };
    let sent = words.and_then(|words| {
        let sent = assets.resize_texture(levels_of(*texture, tail, *first), words);
        sent.map_err(EngineError::from)
    });
    match sent {
        Ok(sent) => {
            own.next = Some(Next { level: *first, sent: Some(sent) });
            Ok(())
        }
        Err(error) => {
            own.next = None;
            textures.is_changed = true;
            if matches!(error, EngineError::Grow(_)) {
                return Err(error);
            }
            own.is_broken = true;
            log!(log, Warning, "{error}; it is shown with its small levels");
            Ok(())
        }
    }
}

/// Returns the message by which a texture begins with another level.
fn levels_of(texture: u32, tail: &TextureTail, level: u32) -> TextureLevels {
    let [width, height] = tail.sides(level);
    let [whole, other] = tail.sides(0);
    let levels = whole.max(other).ilog2() + 1 - level;
    TextureLevels { texture, width, height, levels }
}

/// Says once where the small levels alone are more than the budget.
fn warn_of_budget<'m>(textures: &mut StreamedTextures<'m>, log: &Log<'_, SharedAllocator<'m>>) {
    let least = |texture: &Streamed| textures.bytes_of(texture, texture.tail.levels());
    let small = textures.textures.iter().flatten().map(least).sum::<u64>();
    let budget = textures.budget;
    if small > budget && !textures.is_warned {
        textures.is_warned = true;
        log!(
            log,
            Warning,
            "the small levels of all textures have {small} bytes, and `texture_budget` is {budget}: no \
             larger level is loaded; make it larger"
        );
    }
}
