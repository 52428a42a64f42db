//! Pieces of waves: wanted, asked for, and in memory.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_ids::IdString64;
use loligo_interface::{SubsystemError, SubsystemMemory, TailRead};

use crate::packed::{PIECE_BLOCKS, packed_bytes};
use crate::stream::BlockRead;
use crate::wave::{PackedWave, WAVE_TYPE};

/// For how many updates a piece that nobody needs is kept: one that is played again soon is not read again.
const KEPT: u32 = 60;

/// How often a piece is read that is not as it was compiled: the file may have been replaced meanwhile.
const TRIES: u32 = 2;

/// The pieces that what plays needs, but for the first one of each wave.
pub(super) struct Pieces<'m> {
    list: Array<'m, Piece<'m>, SubsystemMemory<'m>>,
    memory: SharedRef<'m>,
}

struct Piece<'m> {
    wave: IdString64,
    number: u32,
    /// The updates since it was needed.
    age: u32,
    tries: u32,
    stage: Stage<'m>,
}

enum Stage<'m> {
    Wanted,
    Asked,
    Here(Array<'m, u8, SubsystemMemory<'m>>),
    /// It cannot be read, or is damaged.
    Failed,
}

impl<'m> Pieces<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { list: Array::new_in(memory), memory }
    }

    /// Wants a piece of a wave, and returns whether it is there. The first piece always is.
    pub(super) fn want(&mut self, wave: &PackedWave<'_>, name: IdString64, number: u32) -> bool {
        if wave.tail_piece(number).is_none() {
            return number == 0;
        }
        if let Some(piece) = self.find(name, number) {
            piece.age = 0;
            return matches!(piece.stage, Stage::Here(_));
        }
        let piece = Piece { wave: name, number, age: 0, tries: 0, stage: Stage::Wanted };
        // Without memory it is wanted again in the next update.
        let _ = self.list.try_push(piece);
        false
    }

    /// Copies a packed block that is not of the first piece.
    pub(super) fn read(&self, name: IdString64, block: u32, out: &mut [u8]) -> BlockRead {
        let number = block / PIECE_BLOCKS;
        let is_it = |piece: &&Piece<'m>| (piece.wave, piece.number) == (name, number);
        match self.list.iter().find(is_it).map(|piece| &piece.stage) {
            Some(Stage::Here(bytes)) => {
                let mut blocks = bytes.chunks_exact(out.len());
                match blocks.nth((block % PIECE_BLOCKS) as usize) {
                    Some(found) => {
                        out.copy_from_slice(found);
                        BlockRead::Done
                    }
                    None => BlockRead::Failed,
                }
            }
            Some(Stage::Failed) => BlockRead::Failed,
            Some(Stage::Wanted | Stage::Asked) | None => BlockRead::Later,
        }
    }

    /// Begins an update: what was not needed for some time is dropped.
    pub(super) fn grow_older(&mut self) {
        self.list.retain(|piece| {
            piece.age += 1;
            piece.age < KEPT
        });
    }

    /// Drops the pieces of a wave. What was asked for of them is not taken any more.
    pub(super) fn forget(&mut self, wave: IdString64) {
        self.list.retain(|piece| piece.wave != wave);
    }

    /// Asks for all that is wanted, oldest first, as long as it is taken.
    pub(super) fn ask<'w>(
        &mut self,
        wave_of: impl Fn(IdString64) -> Option<PackedWave<'w>>,
        is_waited_for: bool,
        ask: &mut dyn FnMut(&TailRead) -> bool,
    ) {
        for piece in self.list.iter_mut() {
            if !matches!(piece.stage, Stage::Wanted) {
                continue;
            }
            let place = wave_of(piece.wave).and_then(|wave| wave.tail_piece(piece.number));
            let Some((from_end, bytes)) = place else { continue };
            let (type_hash, name, tag) = (IdString64::new(WAVE_TYPE), piece.wave, piece.number);
            if !ask(&TailRead { type_hash, name, from_end, bytes, tag, is_waited_for }) {
                break;
            }
            piece.stage = Stage::Asked;
        }
    }

    /// Takes a piece that was read; `None` if it could not be.
    pub(super) fn take(
        &mut self,
        wave: &PackedWave<'_>,
        read: &TailRead,
        bytes: Option<&[u8]>,
    ) -> Result<(), SubsystemError> {
        let memory = self.memory;
        let Some(piece) = self.find(read.name, read.tag) else { return Ok(()) };
        if !matches!(piece.stage, Stage::Asked) {
            return Ok(());
        }
        piece.stage = Stage::Failed;
        // The engine has said why it cannot be read.
        let Some(bytes) = bytes else { return Ok(()) };
        if wave.is_right(read.tag, bytes) {
            piece.stage = Stage::Wanted;
            piece.stage = Stage::Here(Array::try_from_slice_in(bytes, memory)?);
            return Ok(());
        }
        piece.tries += 1;
        if piece.tries < TRIES {
            piece.stage = Stage::Wanted;
            return Ok(());
        }
        Err(DAMAGED)
    }

    /// The bytes that are in memory.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |piece: &Piece<'_>| match &piece.stage {
            Stage::Here(bytes) => bytes.len(),
            Stage::Wanted | Stage::Asked | Stage::Failed => 0,
        };
        self.list.iter().map(bytes).sum()
    }

    fn find(&mut self, wave: IdString64, number: u32) -> Option<&mut Piece<'m>> {
        let is_it = |piece: &&mut Piece<'m>| (piece.wave, piece.number) == (wave, number);
        self.list.iter_mut().find(is_it)
    }
}

const DAMAGED: SubsystemError = SubsystemError::Wrong {
    what: "a piece of a wave that is streamed is not as it was compiled; the wave is silent there",
    remedy: "compile the project again, or verify the bundles of the game",
};

const _: () = assert!(packed_bytes(2) * PIECE_BLOCKS as usize <= 34_000, "as the docs say");
