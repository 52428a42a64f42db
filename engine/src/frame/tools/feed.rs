//! What tools have subscribed to, sent as it comes.
//!
//! Each topic has its time between two messages. What nobody has subscribed to is not gathered.

use core::fmt;
use std::time::Instant;

use loligo_diagnostics::log;
use loligo_sjson::{Nest, Writer};

use super::scope_feed::ScopeFeed;
use super::topics::{Available, Topic};
use crate::error::EngineError;
use crate::frame::Engine;
use crate::monitoring::Monitoring;
use crate::tools::ToolServer;

/// How far the messages of each topic are.
pub(super) struct Feed {
    /// When each topic was sent last.
    sent: [Option<Instant>; Topic::ALL.len()],
    scopes: ScopeFeed,
    /// The number of the next line of the log.
    next_line: u64,
    /// Whether a tool looks at the tables of subsystems.
    has_tables: bool,
    /// Whether a table of what makes garbage is being filled.
    #[cfg(feature = "script")]
    has_trace: bool,
    /// Where there are pictures.
    #[cfg(feature = "screen")]
    pub(super) screen: Option<super::screen::Screen>,
}

impl Feed {
    pub(super) fn new(lines: u64) -> Self {
        Self {
            sent: [None; Topic::ALL.len()],
            scopes: ScopeFeed::default(),
            next_line: lines,
            has_tables: false,
            #[cfg(feature = "script")]
            has_trace: false,
            #[cfg(feature = "screen")]
            screen: None,
        }
    }

    /// Notes that the picture that was asked for is there.
    #[cfg(feature = "screen")]
    pub(super) fn picture_came(&mut self) {
        self.screen.iter_mut().for_each(super::screen::Screen::picture_came);
    }

    /// Returns `true` if a topic has subscribers and its time has come.
    fn is_due(&mut self, server: &ToolServer<'_>, topic: Topic, now: Instant) -> bool {
        if !server.has_subscribers(topic.name()) {
            self.sent[topic as usize] = None;
            return false;
        }
        let is_due = self.sent[topic as usize]
            .is_none_or(|sent| now.saturating_duration_since(sent) >= topic.interval());
        if is_due {
            self.sent[topic as usize] = Some(now);
        }
        is_due
    }
}

impl Engine<'_, '_> {
    /// Sends what is due to the tools that have subscribed to it.
    pub(super) fn publish(&mut self, server: &mut ToolServer<'_>, feed: &mut Feed) {
        let now = Instant::now();
        self.follow_scopes(server, feed);
        self.follow_tables(server, feed);
        server.begin_round();
        for topic in Topic::ALL {
            if !feed.is_due(server, topic, now) {
                continue;
            }
            // A message that does not fit is counted as left out.
            let _ = match topic {
                Topic::Frames => {
                    let timeline = self.monitoring.map(Monitoring::timeline);
                    let scopes = &mut feed.scopes;
                    server.publish(topic.name(), &mut |writer| {
                        scopes.write_frames(timeline.as_deref().and_then(Option::as_ref), writer)
                    })
                }
                Topic::Scopes => {
                    let timeline = self.monitoring.map(Monitoring::timeline);
                    let scopes = &mut feed.scopes;
                    server.publish(topic.name(), &mut |writer| {
                        scopes.write_scopes(timeline.as_deref().and_then(Option::as_ref), writer)
                    })
                }
                Topic::Log if self.lines.count() == feed.next_line => Ok(()),
                Topic::Log => {
                    let next = &mut feed.next_line;
                    server.publish(topic.name(), &mut |writer| self.write_log(next, writer))
                }
                Topic::Memory => {
                    server.publish(topic.name(), &mut |writer| self.write_memory(writer))
                }
                Topic::Objects => {
                    server.publish(topic.name(), &mut |writer| self.write_objects(writer))
                }
                Topic::Subsystems => {
                    server.publish(topic.name(), &mut |writer| self.write_tables(writer))
                }
                Topic::Garbage => self.publish_garbage(server, feed),
                Topic::Screen => self.publish_screen(server, feed),
            };
        }
        self.follow_garbage(server, feed);
        self.follow_screen(server, feed);
    }

    /// Lets subsystems know when a tool begins to look at their tables, and when the last has ended.
    fn follow_tables(&mut self, server: &ToolServer<'_>, feed: &mut Feed) {
        let wants = server.has_subscribers(Topic::Subsystems.name());
        if wants != feed.has_tables {
            feed.has_tables = wants;
            self.world.set_reported(wants);
        }
    }

    /// Begins to keep scopes when a tool wants them, and ends it.
    fn follow_scopes(&self, server: &ToolServer<'_>, feed: &mut Feed) {
        let Some(monitoring) = self.monitoring else { return };
        let wants =
            [Topic::Frames, Topic::Scopes].iter().any(|of| server.has_subscribers(of.name()));
        if wants == feed.scopes.is_kept {
            return;
        }
        feed.scopes = ScopeFeed::default();
        match monitoring.keep_timeline(wants) {
            Ok(()) => feed.scopes.is_kept = wants,
            Err(error) => {
                log!(self.log, Error, "no scopes for tools: {error}; give `monitor` more");
                // It is said once, and not in every frame.
                feed.scopes.is_kept = wants;
            }
        }
    }

    #[cfg(feature = "script")]
    fn publish_garbage(&mut self, server: &mut ToolServer<'_>, feed: &mut Feed) -> fmt::Result {
        let Some(scripts) = self.scripts.as_mut().filter(|_| feed.has_trace) else { return Ok(()) };
        feed.has_trace = false;
        let Some(trace) = scripts.end_garbage_trace(&self.log) else { return Ok(()) };
        let name = Topic::Garbage.name();
        server.publish(name, &mut |writer| super::reports::write_garbage(&trace, writer))
    }

    /// Begins the next table of what makes garbage, or ends the last one where nobody wants it.
    #[cfg(feature = "script")]
    fn follow_garbage(&mut self, server: &ToolServer<'_>, feed: &mut Feed) {
        let Some(scripts) = &mut self.scripts else { return };
        let wants = server.has_subscribers(Topic::Garbage.name());
        if wants && !feed.has_trace {
            feed.has_trace = scripts.begin_garbage_trace(&self.log);
        } else if !wants && feed.has_trace {
            drop(scripts.end_garbage_trace(&self.log));
            feed.has_trace = false;
        }
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "with scripts it is needed")]
    fn publish_garbage(&self, _: &mut ToolServer<'_>, _: &mut Feed) -> fmt::Result {
        Ok(())
    }

    #[cfg(not(feature = "script"))]
    #[expect(clippy::unused_self, reason = "with scripts it is needed")]
    const fn follow_garbage(&self, _: &ToolServer<'_>, _: &mut Feed) {}

    /// Asks for the next picture, and sends the last one.
    #[cfg(feature = "screen")]
    fn publish_screen(&mut self, server: &mut ToolServer<'_>, feed: &mut Feed) -> fmt::Result {
        self.want_picture();
        let Some(screen) = &mut feed.screen else { return Ok(()) };
        screen.send_picture(&mut |picture| {
            server.publish(Topic::Screen.name(), &mut |writer| picture.write(writer))
        })
    }

    /// Has the picture that has come encoded, where somebody wants it.
    #[cfg(feature = "screen")]
    fn follow_screen(&self, server: &ToolServer<'_>, feed: &mut Feed) {
        if let Some(screen) = feed.screen.as_mut()
            && server.has_subscribers(Topic::Screen.name())
        {
            screen.take_picture(&self.picture, self.size);
        }
    }

    #[cfg(not(feature = "screen"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "with pictures it is needed")]
    fn publish_screen(&self, _: &mut ToolServer<'_>, _: &mut Feed) -> fmt::Result {
        Ok(())
    }

    #[cfg(not(feature = "screen"))]
    #[expect(clippy::unused_self, reason = "with pictures it is needed")]
    const fn follow_screen(&self, _: &ToolServer<'_>, _: &mut Feed) {}

    /// Writes the lines of the log that are still kept.
    pub(super) fn write_lines(&self, writer: &mut Writer<'_>) -> fmt::Result {
        self.write_log(&mut 0, writer)
    }

    fn write_log(&self, next: &mut u64, writer: &mut Writer<'_>) -> fmt::Result {
        let from = *next;
        let mut first = None;
        writer.start(Nest::Object)?;
        writer.key("lines")?;
        writer.start(Nest::Array)?;
        self.lines.visit(from, &mut |line| {
            first.get_or_insert(line.number);
            *next = line.number + 1;
            super::reports::write_line(&line, writer)
        })?;
        writer.end(Nest::Array)?;
        writer.key("lost")?;
        writer.u64(first.map_or(0, |first| first - from))?;
        writer.end(Nest::Object)
    }
}

/// Returns the list of topics that a server announces.
pub(super) fn set_topics(
    server: &mut ToolServer<'_>,
    available: Available,
) -> Result<(), EngineError> {
    Ok(server.set_topics(&Topic::ALL.map(|topic| topic.entry(available)))?)
}
