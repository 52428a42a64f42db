//! What tools may ask of the engine through its port.
//!
//! ```text
//! { "type": "script", "code": "return 1 + 2" }      runs code; the result as text
//! { "type": "console", "line": "graph make ms" }    a line of the console: `graph ..`, or a script
//! { "type": "reload" }                              compiles again where it can, swaps what has changed
//! { "type": "prefer", "properties": "fr" }          prefers variants of resources, and swaps what is loaded
//! { "type": "restart" }                             spawns the level again
//! { "type": "monitor" }                             frame times, memory by subsystem, libraries, graphs
//! { "type": "log" }                                 the last lines of the log
//! { "type": "functions" }                           what scripts can call
//! { "type": "script_objects" }                      how many objects scripts hold, by type
//! { "type": "quit" }                                ends the game after this frame
//! ```
//!
//! What comes by itself is subscribed to: see `docs/reference/tools.md`, which describes all of it.
//!
//! After "Our Tool Architecture" (Bitsquid blog, 2010-04-23) and "Monitoring your game"
//! (2011-05-26).

use core::fmt;
use std::format;
use std::string::{String, ToString};

use loligo_containers::Array;
use loligo_diagnostics::{Log, log};
use loligo_monitor::{current, name};
use loligo_resources::{Names, PreferenceOrder};
use loligo_sjson::{Nest, Writer};

use super::Engine;
use crate::error::EngineError;
use crate::memory::{Library, Memory, Room, SharedAllocator, libraries, memory_of};
use crate::monitoring::Monitoring;
use crate::options::{EngineOptions, OptionalSubsystem};
use crate::tools::{ToolRequest, ToolServer, ToolToken};
use crate::world::LogicCalls;

mod address_file;
mod feed;
mod reports;
mod scope_feed;
#[cfg(feature = "screen")]
mod screen;
mod tables;
#[cfg(feature = "screen")]
mod tool_picture;
mod topics;

use address_file::{ADDRESS_FILE, AddressFile};
use feed::Feed;
use topics::Available;

/// What is answered where no script can be run.
pub(super) const NO_SCRIPTS: &str =
    "the engine runs without scripts; name one as `script` in game.config";

/// What is answered where nothing is recorded.
const NO_MONITOR: &str = "the engine runs without the monitor; run without `--without monitor`";

/// The port, and what tools have asked to be kept.
pub(super) struct Tools<'m> {
    server: ToolServer<'m>,
    feed: Feed,
    /// The file with the address; it is removed when the server ends.
    _file: Option<AddressFile>,
}

impl<'m> Tools<'m> {
    fn try_new(
        options: &EngineOptions<'_>,
        memory: &Memory<'m>,
        available: Available,
        lines: u64,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Result<Self, EngineError> {
        let mut server = ToolServer::try_new(options.tools, memory_of(memory, Room::Tools))?;
        feed::set_topics(&mut server, available)?;
        let mut file = None;
        if let (Some(token), Ok(address)) = (server.token(), server.address()) {
            // The game runs without the file: its output has the token, too.
            match AddressFile::write(options.data, address, token) {
                Ok(written) => file = Some(written),
                Err(error) => log!(
                    log,
                    Warning,
                    "{}: the address for tools cannot be kept there: {error}; it is printed alone",
                    options.data.join(ADDRESS_FILE).display()
                ),
            }
        }
        Ok(Self { server, feed: Feed::new(lines), _file: file })
    }

    /// Notes that the picture that was asked for is there.
    #[cfg(feature = "screen")]
    pub(super) fn picture_came(&mut self) {
        self.feed.picture_came();
    }
}

impl<'m> Engine<'_, 'm> {
    /// Returns where tools are served.
    #[must_use]
    pub fn tool_address(&self) -> Option<core::net::SocketAddr> {
        self.tools.as_ref()?.server.address().ok()
    }

    /// Returns the token that tools have to know, if there are tools and they have to.
    #[must_use]
    pub fn tool_token(&self) -> Option<ToolToken> {
        self.tools.as_ref()?.server.token()
    }

    /// Opens the port for tools.
    pub(super) fn open_tools(&mut self, options: &EngineOptions<'_>) -> Result<(), EngineError> {
        if options.without.has(OptionalSubsystem::Tools) {
            return Ok(());
        }
        let has_scripts = self.content.settings.script.is_some();
        #[cfg(feature = "screen")]
        let screen = self.link.is_drawn().then(screen::Screen::try_start).transpose();
        let available = Available {
            #[cfg(feature = "screen")]
            thread: screen.is_ok(),
            monitor: self.monitoring.is_some(),
            recording: self.monitoring.is_some_and(Monitoring::is_recording),
            scripts: has_scripts && !options.without.has(OptionalSubsystem::Script),
            renderer: self.link.is_drawn(),
        };
        let lines = self.lines.count();
        let tools = Tools::try_new(options, &self.memory, available, lines, &self.log)?;
        let tools = self.tools.insert(tools);
        #[cfg(feature = "screen")]
        if let Ok(screen) = screen {
            tools.feed.screen = screen;
        }
        #[cfg(not(feature = "screen"))]
        let _ = tools;
        Ok(())
    }

    /// Serves what tools have asked for since the last frame.
    pub(super) fn serve_tools(
        &mut self,
        logic: &mut LogicCalls<'_, 'm>,
    ) -> Result<(), EngineError> {
        let Some(mut tools) = self.tools.take() else { return Ok(()) };
        let Tools { server, feed, .. } = &mut tools;
        let _scope = (server.tools() > 0).then(|| current::scope(name!("tools")));
        // The port's library takes its memory from the global heap, and an answer is a text from
        // there.
        Library::Tungstenite.run(|| {
            server.poll(&mut |request, writer| self.answer(request, writer, logic));
            self.publish(server, feed);
        });
        self.tools = Some(tools);
        Ok(())
    }

    fn answer(
        &mut self,
        request: &ToolRequest<'_>,
        writer: &mut Writer<'_>,
        logic: &mut LogicCalls<'_, 'm>,
    ) -> Result<(), String> {
        let text = |key: &str| {
            let text = request.body.get(key).and_then(|text| text.as_str());
            text.ok_or_else(|| format!("expected a string as the member `{key}`"))
        };
        match request.kind {
            "script" => self.answer_script(text("code")?, writer),
            "console" => match text("line")? {
                line if line.starts_with("graph ") => {
                    let Some(monitoring) = self.monitoring else { return Err(NO_MONITOR.into()) };
                    monitoring.graphs().command(line).map_err(|error| error.to_string())?;
                    writer.string("").map_err(too_long)
                }
                line => self.answer_script(line, writer),
            },
            "reload" => self.recompile_and_reload(writer, logic),
            "prefer" => self.answer_prefer(text("properties")?, writer, logic),
            "restart" => {
                let names = Names::read_in(self.data, memory_of(&self.memory, Room::Tools));
                self.restart_level(logic).map_err(|error| names.show(&error).to_string())?;
                writer.null().map_err(too_long)
            }
            "monitor" => self.write_monitor(writer).map_err(too_long),
            "log" => self.write_lines(writer).map_err(too_long),
            "functions" => self.list_functions(writer),
            "script_objects" => self.count_script_objects(writer),
            "quit" => {
                self.world.end_game();
                writer.null().map_err(too_long)
            }
            kind => Err(format!(
                "there is no request `{kind}`; one of script, console, reload, prefer, restart, monitor, log, functions, \
                 script_objects, subscribe, unsubscribe, quit"
            )),
        }
    }

    #[cfg(feature = "script")]
    fn answer_script(&mut self, code: &str, writer: &mut Writer<'_>) -> Result<(), String> {
        let answer = self.run_script(code)?;
        writer.string(&answer).map_err(too_long)
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unused_self, reason = "with scripts it is needed")]
    fn answer_script(&mut self, _: &str, _: &mut Writer<'_>) -> Result<(), String> {
        Err(NO_SCRIPTS.into())
    }

    #[cfg(feature = "script")]
    fn list_functions(&self, writer: &mut Writer<'_>) -> Result<(), String> {
        self.write_functions(writer).map_err(too_long)
    }

    #[cfg(feature = "script")]
    fn count_script_objects(&mut self, writer: &mut Writer<'_>) -> Result<(), String> {
        let Some(scripts) = &mut self.scripts else { return Err(NO_SCRIPTS.into()) };
        let counts = scripts.count_objects()?;
        reports::write_script_objects(&counts, writer).map_err(too_long)
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unused_self, reason = "with scripts it is needed")]
    fn list_functions(&self, _: &mut Writer<'_>) -> Result<(), String> {
        Err(NO_SCRIPTS.into())
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unused_self, reason = "with scripts it is needed")]
    fn count_script_objects(&mut self, _: &mut Writer<'_>) -> Result<(), String> {
        Err(NO_SCRIPTS.into())
    }

    /// Compiles where there is a compiler, and swaps what has changed. What is wrong with a source
    /// is reported in the answer and in the log; the game goes on with what it had.
    fn recompile_and_reload(
        &mut self,
        writer: &mut Writer<'_>,
        logic: &mut LogicCalls<'_, 'm>,
    ) -> Result<(), String> {
        let mut errors = Array::<String, _>::new_in(memory_of(&self.memory, Room::Tools));
        if let Some(recompile) = self.recompile {
            let log = &self.log;
            let mut lost = false;
            let whole = Library::Compiler.run(|| {
                recompile(&mut |error| {
                    log!(log, Error, "{error}");
                    lost |= errors.try_push(error.to_string()).is_err();
                })
            });
            if lost || !whole {
                return Err("the project could not be compiled; the log says why".into());
            }
        }
        self.answer_swapped(errors, writer, |engine, say| engine.reload_saying(logic, say))
    }

    /// Prefers properties, and swaps what is loaded in another variant.
    fn answer_prefer(
        &mut self,
        properties: &str,
        writer: &mut Writer<'_>,
        logic: &mut LogicCalls<'_, 'm>,
    ) -> Result<(), String> {
        let order = PreferenceOrder::parse(properties).map_err(|error| error.to_string())?;
        self.world.prefer(order);
        self.world.take_preference_changed();
        let errors = Array::new_in(memory_of(&self.memory, Room::Tools));
        self.answer_swapped(errors, writer, |engine, say| engine.follow_preference(logic, say))
    }

    /// Swaps resources by `act`, and answers how many, with `errors` and those of the swap.
    fn answer_swapped(
        &mut self,
        mut errors: Array<'_, String, SharedAllocator<'m>>,
        writer: &mut Writer<'_>,
        act: impl FnOnce(&mut Self, &mut dyn FnMut(&dyn fmt::Display)) -> Result<usize, EngineError>,
    ) -> Result<(), String> {
        let mut lost = Ok(());
        let (memory, data) = (memory_of(&self.memory, Room::Tools), self.data);
        let named = |error: &dyn fmt::Display| Names::read_in(data, memory).show(error).to_string();
        let swapped = act(self, &mut |error| {
            if let Err(error) = errors.try_push(named(error)) {
                lost = Err(error);
            }
        });
        let swapped = swapped.map_err(|error| named(&error))?;
        lost.map_err(|error| error.to_string())?;
        let mut write = || {
            writer.start(Nest::Object)?;
            writer.key("reloaded")?;
            writer.u64(swapped as u64)?;
            writer.key("errors")?;
            writer.start(Nest::Array)?;
            errors.iter().try_for_each(|error| writer.string(error))?;
            writer.end(Nest::Array)?;
            writer.end(Nest::Object)
        };
        write().map_err(too_long)
    }

    fn write_monitor(&mut self, writer: &mut Writer<'_>) -> fmt::Result {
        writer.start(Nest::Object)?;
        let times = [
            ("frame_median_ns", self.figures.frames.percentile(50)),
            ("frame_99_ns", self.figures.frames.percentile(99)),
            ("own_median_ns", self.figures.own.percentile(50)),
            ("own_99_ns", self.figures.own.percentile(99)),
            ("frames", self.frame),
            ("entities", self.world.entities().len() as u64),
            ("draws", self.figures.drawn.draws),
            ("records", u64::from(self.figures.drawn.records)),
        ];
        for (key, value) in times {
            writer.key(key)?;
            writer.u64(value)?;
        }
        writer.key("memory")?;
        writer.start(Nest::Array)?;
        for (place, name) in self.memory.subsystems().enumerate() {
            let stats = self.memory.at(place).stats();
            writer.start(Nest::Object)?;
            writer.key("subsystem")?;
            writer.string(name)?;
            writer.key("bytes")?;
            writer.u64(stats.requested as u64)?;
            writer.key("blocks")?;
            writer.u64(stats.live as u64)?;
            writer.end(Nest::Object)?;
        }
        writer.end(Nest::Array)?;
        writer.key("libraries")?;
        writer.start(Nest::Object)?;
        for site in libraries() {
            writer.key(site.name())?;
            writer.u64(site.counts().allocations)?;
        }
        writer.end(Nest::Object)?;
        write_graphs(writer, self.monitoring)?;
        writer.end(Nest::Object)
    }
}

fn write_graphs(writer: &mut Writer<'_>, monitoring: Option<&Monitoring<'_>>) -> fmt::Result {
    writer.key("graphs")?;
    writer.start(Nest::Array)?;
    let graphs = monitoring.map(Monitoring::graphs);
    for graph in graphs.iter().flat_map(|graphs| graphs.all()) {
        writer.start(Nest::Object)?;
        writer.key("name")?;
        writer.string(graph.name())?;
        writer.key("series")?;
        writer.start(Nest::Object)?;
        for series in graph.series() {
            writer.key(series.name())?;
            writer.start(Nest::Array)?;
            series.points().try_for_each(|point| writer.f32(point.value))?;
            writer.end(Nest::Array)?;
        }
        writer.end(Nest::Object)?;
        writer.end(Nest::Object)?;
    }
    writer.end(Nest::Array)
}

fn too_long(_: fmt::Error) -> String {
    "the answer is too long for the connection: ask for less".into()
}
