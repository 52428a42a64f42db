//! What happens in a frame, in order.

use std::time::Instant;

use loligo_allocators::FrameAllocator;
use loligo_containers::EventStream;
use loligo_input::Control;
use loligo_interface::Phase;
use loligo_monitor::{current, name};
use loligo_platform::KeyCode;

use super::{ARMED_FROM, Engine};
use crate::cpu::thread_ns;
use crate::error::EngineError;
#[cfg(feature = "pads")]
use crate::memory::Library;
use crate::memory::{FrameGuard, Room, memory_of};
use crate::time_step::Updates;
use crate::world::{Logic, LogicCalls};

impl<'m> Engine<'_, 'm> {
    /// Runs `act` with the frame's memory in the hands of the logic.
    pub(super) fn with_frame_memory<R>(
        &mut self,
        logic: &mut dyn Logic<'m>,
        act: impl FnOnce(&mut Self, &mut LogicCalls<'_, 'm>) -> R,
    ) -> R {
        let none = FrameAllocator::from_region("frame", &mut []);
        let memory = core::mem::replace(&mut self.frame_memory, none);
        let result = act(self, &mut LogicCalls { logic, memory: &memory });
        self.frame_memory = memory;
        result
    }

    pub(super) fn run_frame(&mut self, logic: &mut LogicCalls<'_, 'm>) -> Result<(), EngineError> {
        let now = Instant::now();
        let elapsed = self.began.map_or(0, |began| (now - began).as_nanos() as u64);
        self.began = Some(now);
        if self.frame == ARMED_FROM {
            self.armed = self.guard.map(FrameGuard::arm);
        }
        let polled = self.poll_window();
        let cpu = thread_ns();
        let _scope = current::scope(name!("frame"));
        // The first frame is updated once, by no time.
        let first = Updates { count: 1, step: 0 };
        let updates =
            if self.frame == 0 && !self.is_begun { first } else { self.clock.updates(elapsed) };
        let updates = self.player.begin(updates);
        if self.player.is_over() {
            self.world.end_game();
        }
        self.world.begin(self.first_frame.wrapping_add(self.frame));
        self.world.play(self.player.done(), &self.log);
        self.world.step_all(Phase::Input, self.worker, &self.log);
        if !self.is_begun {
            self.is_begun = true;
            self.start(logic);
        }
        let streamed = self.stream(logic);
        self.world.go_on_with_levels(&self.log);
        let served = self.serve_tools(logic);
        for number in 1..=updates.count {
            self.world.advance(updates.step);
            self.update(logic);
            self.serve_graphs(number == updates.count);
            self.tell_events(logic);
        }
        if self.frame == 0 {
            self.warn_of_no_camera();
        }
        let ended = self.end_world();
        self.log_missing();
        let recorded = self.player.end(&self.world);
        let handed = ended.and(recorded).and_then(|()| self.show(thread_ns() - cpu));
        if self.frame > 0 {
            self.figures.frames.add(elapsed);
        }
        // Also where it failed: the logic has run.
        self.frame += 1;
        self.end_monitored(elapsed);
        polled.and(streamed).and(served).and(handed)
    }

    /// Processes the window's events.
    fn poll_window(&mut self) -> Result<(), EngineError> {
        let _scope = current::scope(name!("window"));
        let polled = self.shown.poll(self.player.events());
        #[cfg(feature = "pads")]
        let polled = polled.and(match &mut self.pads {
            Some(pads) => Library::Gilrs.run(|| pads.poll(self.player.events())),
            None => Ok(()),
        });
        self.size = self.shown.picture().unwrap_or(self.size);
        let escape = Control::key(KeyCode::Escape);
        let uses_escape = self.world.input().is_some_and(|input| input.binds(escape));
        if self.shown.is_end_asked(uses_escape) {
            self.world.end_game();
        }
        if polled.is_err()
            && let Some(input) = self.world.input_mut()
        {
            // Nobody knows what was released.
            input.release_all();
        }
        Ok(polled?)
    }

    pub(super) fn start(&mut self, logic: &mut LogicCalls<'_, 'm>) {
        #[cfg(feature = "script")]
        if let Some(scripts) = &mut self.scripts {
            scripts.start(&mut self.world, &self.log);
        }
        logic.start(&mut self.world);
    }

    fn update(&mut self, logic: &mut LogicCalls<'_, 'm>) {
        let _scope = current::scope(name!("logic"));
        self.world.step_all(Phase::Think, self.worker, &self.log);
        #[cfg(feature = "script")]
        if let Some(scripts) = &mut self.scripts {
            let _scope = current::scope(name!("scripts"));
            scripts.update(&mut self.world, logic.memory, &self.log);
        }
        logic.update(&mut self.world);
        self.world.step_all(Phase::Simulate, self.worker, &self.log);
    }

    /// Passes events to scripts, then to logic; what these cause is reported in the next frame.
    fn tell_events(&mut self, logic: &mut LogicCalls<'_, 'm>) {
        let mut events = EventStream::new_in(memory_of(&self.memory, Room::Entities));
        core::mem::swap(&mut events, &mut self.spare_events);
        let mut events = self.world.take_events(events);
        #[cfg(feature = "script")]
        if let Some(scripts) = &mut self.scripts {
            scripts.events(&mut self.world, &events, logic.memory, &self.log);
        }
        let mut rest = events.reader();
        while !rest.is_empty() {
            let (some, wired, after) = self.world.until_wired(rest);
            logic.events(&mut self.world, some);
            if let Some(event) = wired {
                self.world.follow(&event, &self.log);
            }
            rest = after;
        }
        self.world.obey(&self.log);
        self.world.forget_listeners();
        events.clear();
        self.spare_events = events;
    }

    /// Records how long the frame before took, and ends the frame of the monitor.
    fn end_monitored(&self, elapsed: u64) {
        let Some(monitoring) = self.monitoring else { return };
        current::float(name!("frame_ms"), (elapsed as f64 / 1e6) as f32);
        monitoring.end_frame();
    }

    #[cfg(not(feature = "tool-server"))]
    #[expect(clippy::unnecessary_wraps, reason = "with tools it may fail")]
    fn serve_tools(&mut self, _: &mut LogicCalls<'_, 'm>) -> Result<(), EngineError> {
        Ok(())
    }
}
