//! Parts of files that subsystems want while they use the rest: long sounds.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_diagnostics::{Log, log};
use loligo_interface::TailRead;
use loligo_resources::ResourceKey;

use super::Content;
use super::reader::UNDER_WAY_MAX;
use super::tail_request::{TailBytes, TailRequest};
use crate::error::EngineError;
use crate::memory::SharedAllocator;
use crate::world::World;

/// How often subsystems are asked in a frame what they wait for: what came may lead to more.
const ROUNDS: usize = 4;

/// What is under way of what subsystems want.
pub(crate) struct Tails<'m> {
    asked: Array<'m, TailRead, SharedAllocator<'m>>,
    under_way: usize,
}

impl<'m> Tails<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { asked: Array::new_in(memory), under_way: 0 }
    }
}

impl<'m: 'e, 'e> Content<'e, 'm> {
    /// Hands subsystems what was read for them, and goes on with what they want: in the background, or at
    /// once where the frame waits for it or nothing is read in the background.
    pub(crate) fn stream_tails(
        &mut self,
        world: &mut World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        if let Some(reader) = self.reader {
            while let Some((request, bytes)) = reader.take_tail() {
                self.tails.under_way -= 1;
                hand(world, &request.read, bytes, log);
            }
        }
        for _ in 0..ROUNDS {
            let Tails { asked, under_way } = &mut self.tails;
            let room = UNDER_WAY_MAX - *under_way;
            asked.clear();
            world.tails(&mut |read| asked.len() < room && asked.try_push(*read).is_ok());
            let mut was_read = false;
            for at in 0..self.tails.asked.len() {
                was_read |= self.begin_tail(self.tails.asked[at], world, log);
            }
            if !was_read {
                break;
            }
        }
    }

    /// Has a part be read, or reads it; returns whether it did that.
    fn begin_tail(
        &mut self,
        read: TailRead,
        world: &mut World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> bool {
        let key = ResourceKey { type_hash: read.type_hash, name: read.name };
        let request = match self.resources.request(key) {
            Ok(request) => TailRequest { read, file: request.file() },
            Err(error) => {
                hand(world, &read, Err(error.into()), log);
                return true;
            }
        };
        if let Some(reader) = self.reader.filter(|_| !read.is_waited_for) {
            self.tails.under_way += 1;
            reader.ask_tail(request);
            return false;
        }
        let bytes = request.read(&self.folder, self.layers.memory());
        hand(world, &read, bytes, log);
        true
    }
}

/// Hands a part to the subsystem that wants it, or says why it cannot be had.
fn hand<'m>(
    world: &mut World<'m>,
    read: &TailRead,
    bytes: Result<TailBytes<'m>, EngineError>,
    log: &Log<'_, SharedAllocator<'m>>,
) {
    if let Err(error) = &bytes {
        log!(log, Error, "a part of a resource cannot be read: {error}");
    }
    world.take_tail(read, bytes.as_deref().ok(), log);
}
