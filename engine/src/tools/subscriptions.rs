//! What one tool has subscribed to, and how much of it is sent.

use core::time::Duration;
use std::format;
use std::string::String;
use std::time::Instant;

use loligo_sjson::{ValueKind, ValueRef};

use super::topic::{TOPICS_MAX, ToolTopic};

/// The messages a second of a tool that asks for no other bound, and the most that it can ask for.
const MESSAGES: u32 = 100;
const MESSAGES_MAX: u32 = 1000;

/// The bytes a second of a tool that asks for no other bound, and the least and the most that it can
/// ask for.
const BYTES: u32 = 4 << 20;
const BYTES_MIN: u32 = 1 << 10;
const BYTES_MAX: u32 = 16 << 20;

const SECOND: Duration = Duration::from_secs(1);

/// The topics of a tool, its bounds, and what was sent in the current second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subscriptions {
    /// A bit for each topic.
    topics: u16,
    messages_max: u32,
    bytes_max: u32,
    /// When the current second began, and what was sent in it.
    since: Option<Instant>,
    messages: u32,
    bytes: u32,
    /// Messages of each topic that were left out.
    left_out: [u64; TOPICS_MAX],
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self {
            topics: 0,
            messages_max: MESSAGES,
            bytes_max: BYTES,
            since: None,
            messages: 0,
            bytes: 0,
            left_out: [0; TOPICS_MAX],
        }
    }
}

impl Subscriptions {
    /// Returns `true` if the tool has subscribed to the topic at a place of the list.
    pub(super) const fn has(&self, topic: usize) -> bool {
        self.topics & (1 << topic) != 0
    }

    /// Returns the messages and bytes a second at most.
    pub(super) const fn bounds(&self) -> [u32; 2] {
        [self.messages_max, self.bytes_max]
    }

    /// Returns how many messages of a topic were left out since the tool subscribed to it.
    pub(super) const fn left_out(&self, topic: usize) -> u64 {
        self.left_out[topic]
    }

    /// Adds the topics of a request, and sets the bounds that it names. What is wrong changes
    /// nothing.
    pub(super) fn add(&mut self, body: ValueRef<'_>, all: &[ToolTopic]) -> Result<(), String> {
        let added = topics(body, all)?.ok_or_else(|| no_topics(all))?;
        for (place, topic) in all.iter().enumerate() {
            if let Some(why) = topic.missing.filter(|_| added & (1 << place) != 0) {
                return Err(format!("the topic `{}` is not available: {why}", topic.name));
            }
        }
        let messages_max = bound(body, "messages_a_second", 1, MESSAGES_MAX)?;
        let bytes_max = bound(body, "bytes_a_second", BYTES_MIN, BYTES_MAX)?;
        for place in (0..all.len()).filter(|place| added & !self.topics & (1 << place) != 0) {
            self.left_out[place] = 0;
        }
        self.topics |= added;
        self.messages_max = messages_max.unwrap_or(self.messages_max);
        self.bytes_max = bytes_max.unwrap_or(self.bytes_max);
        Ok(())
    }

    /// Removes the topics of a request; all where it names none.
    pub(super) fn remove(&mut self, body: ValueRef<'_>, all: &[ToolTopic]) -> Result<(), String> {
        self.topics &= !topics(body, all)?.unwrap_or(u16::MAX);
        Ok(())
    }

    /// Returns `true` if a message of `bytes` bytes keeps the bounds.
    pub(super) fn fits(&self, bytes: usize, now: Instant) -> bool {
        let [messages, sent] = match self.is_same_second(now) {
            true => [self.messages, self.bytes],
            false => [0; 2],
        };
        messages < self.messages_max
            && bytes <= (self.bytes_max - sent.min(self.bytes_max)) as usize
    }

    /// Notes that a message that [`fits`](Self::fits) was sent.
    pub(super) fn count_sent(&mut self, bytes: usize, now: Instant) {
        if !self.is_same_second(now) {
            (self.since, self.messages, self.bytes) = (Some(now), 0, 0);
        }
        self.messages += 1;
        self.bytes = self.bytes.saturating_add(bytes as u32);
    }

    /// Notes that a message was left out.
    pub(super) const fn count_left_out(&mut self, topic: usize) {
        self.left_out[topic] += 1;
    }

    fn is_same_second(&self, now: Instant) -> bool {
        self.since.is_some_and(|since| now.saturating_duration_since(since) < SECOND)
    }
}

/// Returns the topics that a request names, a bit for each; `None` if it has no such member.
fn topics(body: ValueRef<'_>, all: &[ToolTopic]) -> Result<Option<u16>, String> {
    let Some(named) = body.get("topics") else { return Ok(None) };
    if named.kind() != ValueKind::Array {
        return Err(no_topics(all));
    }
    let mut topics = 0;
    for item in named.items() {
        let name = item.as_str().ok_or_else(|| no_topics(all))?;
        let place = all.iter().position(|topic| topic.name == name);
        let place = place.ok_or_else(|| {
            format!("there is no topic `{}`; one of {}", name.escape_debug(), names(all))
        })?;
        topics |= 1 << place;
    }
    Ok(Some(topics))
}

fn no_topics(all: &[ToolTopic]) -> String {
    format!("expected an array of names as the member `topics`, of {}", names(all))
}

fn names(all: &[ToolTopic]) -> String {
    let mut names = String::new();
    for topic in all {
        if !names.is_empty() {
            names.push_str(", ");
        }
        names.push_str(topic.name);
    }
    names
}

/// Returns the whole number of a member that is a bound.
fn bound(body: ValueRef<'_>, key: &str, least: u32, most: u32) -> Result<Option<u32>, String> {
    let Some(value) = body.get(key) else { return Ok(None) };
    let number = value.as_i64().and_then(|number| u32::try_from(number).ok());
    match number.filter(|number| (least..=most).contains(number)) {
        Some(number) => Ok(Some(number)),
        None => {
            Err(format!("expected a whole number from {least} to {most} as the member `{key}`"))
        }
    }
}
