//! A frame on its way to the renderer, and back.

use loligo_containers::{Array, EventStream};
use loligo_diagnostics::log;
use loligo_interface::Phase;
use loligo_monitor::{current, name};
use loligo_tasks::Worker;

use super::{ARMED_FROM, Engine, Spare};
use crate::assets::Uploads;
use crate::drawing::{Drawn, Packet, Scene, Wanted};
use crate::error::EngineError;
use crate::loading::{Content, StreamedTextures, layer_of};
use crate::memory::{Room, SharedAllocator, memory_of};

/// After how many frames it is measured again how large materials are: what streams textures is
/// slower than that.
const MEASURED_EVERY: u64 = 4;

impl<'m> Engine<'_, 'm> {
    /// Ends the frame of the world: computes what has moved, on another thread if one has nothing
    /// to do, while this one collects the scripts' garbage. Neither knows of the other.
    pub(super) fn end_world(&mut self) -> Result<(), EngineError> {
        self.world.step_all(Phase::Pose, self.worker, &self.log);
        let Self { world, content, worker, .. } = self;
        let Content { assets, layers, .. } = content;
        let layers = &**layers;
        #[cfg(feature = "script")]
        let mut collect = || {
            if let Some(scripts) = &mut self.scripts {
                let _scope = current::scope(name!("garbage"));
                scripts.collect(&self.log);
            }
        };
        #[cfg(not(feature = "script"))]
        let collect = || ();
        // The assets move to that thread, since two may not look into them at once.
        let end = move |worker: &Worker<'_>| {
            let _scope = current::scope(name!("transforms"));
            world.end(assets, |name| layer_of(layers, name), worker)
        };
        let ((), ended) = worker.both(&"transforms", |_| collect(), end)?;
        self.world.joined_mut().pass_moved();
        let watched = match self.link.is_drawn() {
            true => self.world.watch(self.size, &mut self.watched),
            false => Ok(()),
        };
        self.world.step_seen(Phase::Listen, &self.watched, self.worker, &self.log);
        ended.and(watched.map_err(EngineError::from))
    }

    /// Shows the frame, which took so much of a processor on this thread so far.
    pub(super) fn show(&mut self, main_ns: u64) -> Result<(), EngineError> {
        if self.link.is_drawn() {
            let _scope = current::scope(name!("hand over"));
            return self.hand_over(main_ns);
        }
        self.world.joined_mut().forget_drawn();
        self.figures.add_own(self.frame >= ARMED_FROM, main_ns);
        Ok(())
    }

    /// Takes back the frame before, and hands this one over to the renderer. Where that frame could
    /// not be taken in, it goes once more in place of this one, whose changes come with the next:
    /// nothing is lost.
    fn hand_over(&mut self, main_ns: u64) -> Result<(), EngineError> {
        if let Some(packet) = self.link.wait() {
            self.take_back(packet)?;
        }
        let scene = self.scene();
        let packet = match self.late.take() {
            Some(late) => {
                let wanted = core::mem::take(&mut self.wanted).or(late.wanted);
                let mut late = Packet { scene, wanted, ..late };
                self.world.look(&mut late.views)?;
                late
            }
            None => match self.next_packet(scene)? {
                Some(packet) => packet,
                None => return Ok(()),
            },
        };
        self.figures.main_ns = main_ns;
        match self.link.exchange(packet)? {
            Some(packet) => self.take_back(packet),
            None => Ok(()),
        }
    }

    /// Gathers what has changed since the last frame; `None` without a renderer.
    fn next_packet(
        &mut self,
        scene: Scene,
    ) -> Result<Option<Packet<'m, SharedAllocator<'m>>>, EngineError> {
        let render = memory_of(&self.memory, Room::Render);
        let mut spare = self.spare.take().unwrap_or_else(|| Spare {
            uploads: Uploads::new_in(render),
            views: Array::new_in(render),
            drawings: Array::new_in(render),
            text: Array::new_in(render),
            picture: Array::new_in(render),
            sizes: Array::new_in(render),
            problems: Array::new_in(render),
        });
        let looked = self.world.look(&mut spare.views);
        let ready =
            looked.and_then(|()| self.world.joined_mut().exchange_drawn(&mut spare.drawings));
        if let Err(error) = ready {
            // Nothing was taken from the world yet.
            self.spare = Some(spare);
            return Err(error.into());
        }
        let Spare { uploads, views, drawings, text, picture, sizes, problems } = spare;
        let Some(recorder) = self.world.recorder() else { return Ok(None) };
        let state = recorder.finish();
        let uploads = self.content.assets.exchange(uploads);
        let (wanted, is_taken) = (core::mem::take(&mut self.wanted), false);
        let result = Ok(Drawn::default());
        Ok(Some(Packet {
            state,
            uploads,
            scene,
            views,
            drawings,
            wanted,
            text,
            picture,
            sizes,
            problems,
            is_taken,
            result,
        }))
    }

    /// Handles a frame that was drawn: its problems, its result and its memory.
    pub(super) fn take_back(
        &mut self,
        packet: Packet<'m, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        let problems = core::str::from_utf8(&packet.problems).unwrap_or_default().trim_end();
        if !problems.is_empty() {
            log!(self.log, Error, "{problems}");
        }
        if !packet.is_taken {
            let failed = packet.result.map(drop);
            self.late = Some(packet);
            return Ok(failed?);
        }
        let Packet { state, mut uploads, scene, views, mut drawings, .. } = packet;
        let Packet { wanted, mut text, mut picture, .. } = packet;
        let (sizes, problems, result) = (packet.sizes, packet.problems, packet.result);
        if let Some(textures) = &mut self.content.textures {
            textures.taken(uploads.number, &sizes);
        }
        uploads.clear();
        drawings.iter_mut().for_each(EventStream::clear);
        if wanted.text {
            core::mem::swap(&mut self.text, &mut text);
        }
        if wanted.picture {
            core::mem::swap(&mut self.picture, &mut picture);
            #[cfg(feature = "screen")]
            if let Some(tools) = &mut self.tools {
                tools.picture_came();
            }
        }
        let workers_ns = self.workers.ns();
        let drawn = result?;
        let others = workers_ns - self.figures.workers_ns;
        let own_ns = self.figures.main_ns + drawn.own_ns + others;
        let is_usual = scene.frame >= ARMED_FROM && wanted == Wanted::default();
        self.figures.add_own(is_usual, own_ns);
        self.figures.workers_ns = workers_ns;
        self.figures.drawn = drawn;
        self.figures.most_seen = self.figures.most_seen.max(drawn.seen);
        if let Some(recorder) = self.world.recorder() {
            recorder.recycle(state);
        }
        self.spare = Some(Spare { uploads, views, drawings, text, picture, sizes, problems });
        Ok(())
    }

    /// Returns what all views of the frame have in common.
    fn scene(&self) -> Scene {
        Scene {
            frame: self.frame,
            time: (self.world.now() as f64 / 1e9) as f32,
            size: self.size,
            is_shown: self.shown.is_seen(),
            texture_budget: self.content.textures.as_ref().map(StreamedTextures::budget),
            is_measured: self.frame.is_multiple_of(MEASURED_EVERY),
        }
    }
}
