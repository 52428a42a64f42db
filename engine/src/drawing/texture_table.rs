//! Which levels of textures were sent to the card, for frames as text.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, EventRecord, GrowError, text};
use loligo_render::TexturePacking;

use crate::assets::{Numbered, Removed, TextureData, TextureLevels};
use crate::memory::SharedAllocator;

/// The most textures that the text of a frame lists.
const LISTED: usize = 32;

/// The sides of the largest level of each texture, by its number.
pub(crate) struct TextureTable<'e> {
    textures: Array<'e, Option<Sent>, SharedAllocator<'e>>,
    bytes: u64,
    /// The most that there were, with the copies that are made where levels come and go.
    most: u64,
}

#[derive(Clone, Copy)]
struct Sent {
    packing: TexturePacking,
    whole: [u32; 2],
    now: [u32; 2],
}

impl Sent {
    fn bytes(&self) -> u64 {
        self.packing.bytes_from(self.now, 0)
    }
}

impl<'e> TextureTable<'e> {
    pub(crate) const fn new_in(memory: SharedRef<'e>) -> Self {
        Self { textures: Array::new_in(memory), bytes: 0, most: 0 }
    }

    /// Learns what is uploaded.
    pub(crate) fn take(&mut self, record: &EventRecord<'_>) -> Result<(), GrowError> {
        if let Some(data) = record.get::<TextureData>() {
            let TextureData { texture, width, height, packing, whole, .. } = data;
            let at = texture as usize;
            if at >= self.textures.len() {
                self.textures.try_resize(at + 1, None)?;
            }
            let packing = TexturePacking::ALL.get(packing as usize).copied().unwrap_or_default();
            self.replace(at, Some(Sent { packing, whole, now: [width, height] }));
        } else if let Some(TextureLevels { texture, width, height, .. }) = record.get() {
            let at = texture as usize;
            if let Some(Some(sent)) = self.textures.get(at).copied() {
                self.replace(at, Some(Sent { now: [width, height], ..sent }));
            }
        } else if let Some(Removed { what, number }) = record.get()
            && what == Numbered::Texture as u32
            && (number as usize) < self.textures.len()
        {
            self.replace(number as usize, None);
        }
        Ok(())
    }

    fn replace(&mut self, at: usize, sent: Option<Sent>) {
        let bytes = |sent: Option<Sent>| sent.map_or(0, |sent| sent.bytes());
        let old = core::mem::replace(&mut self.textures[at], sent);
        self.bytes += bytes(sent);
        self.most = self.most.max(self.bytes);
        self.bytes -= bytes(old);
    }

    /// Writes how much of a budget is held, and which textures are not whole.
    pub(crate) fn write<'t>(
        &self,
        budget: u64,
        out: &mut Array<'t, u8, SharedAllocator<'t>>,
    ) -> Result<(), text::FormatError> {
        let all = self.textures.iter().enumerate();
        let all = all.filter_map(|(number, sent)| Some((number, (*sent)?)));
        let parts = all.clone().filter(|(_, sent)| sent.now != sent.whole);
        let (count, missing, bytes, most) =
            (all.count(), parts.clone().count(), self.bytes, self.most);
        text::try_format(
            out,
            format_args!(
                "textures {count}: {bytes} bytes of {budget}, at most {most}, not whole {missing}\n"
            ),
        )?;
        for (number, Sent { whole, now, .. }) in parts.take(LISTED) {
            let ([width, height], [all_width, all_height]) = (now, whole);
            text::try_format(
                out,
                format_args!(
                    "  texture {number}: {width} x {height} of {all_width} x {all_height}\n"
                ),
            )?;
        }
        Ok(())
    }
}
