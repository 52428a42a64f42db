//! A connected tool: its connection and its subscriptions.

use core::fmt::Write as _;
use std::time::Instant;

use super::link::Link;
use super::subscriptions::Subscriptions;
use super::text::Text;

/// A connected tool.
pub(super) struct Client<'a> {
    pub(super) link: Link<'a>,
    pub(super) subscriptions: Subscriptions,
    /// Whether all that was sent before has left. What a tool does not read fills the system's
    /// buffers; then what it has subscribed to is left out.
    is_reading: bool,
    /// Bytes of this round that may wait for the tool.
    round_bytes: usize,
}

impl<'a> Client<'a> {
    pub(super) fn new(link: Link<'a>) -> Self {
        Self { link, subscriptions: Subscriptions::default(), is_reading: true, round_bytes: 0 }
    }

    /// Begins a round of messages.
    pub(super) fn begin_round(&mut self) {
        self.is_reading = self.link.flush();
        self.round_bytes = 0;
    }

    /// Returns `true` if the tool has subscribed to a topic and can be sent more of it.
    pub(super) fn can_take_topic(&self, topic: usize, now: Instant) -> bool {
        self.subscriptions.has(topic) && self.can_take(0, now)
    }

    /// Returns `true` if a message of `bytes` bytes can be sent now.
    fn can_take(&self, bytes: usize, now: Instant) -> bool {
        self.is_reading
            && self.subscriptions.fits(bytes, now)
            && self.round_bytes + bytes < self.link.waiting_bytes_max()
    }

    /// Sends a message of a topic, or leaves it out and counts it.
    pub(super) fn publish(
        &mut self,
        (topic, name): (usize, &str),
        value: &str,
        message: &mut Text<'_>,
        now: Instant,
    ) {
        message.clear();
        let left_out = self.subscriptions.left_out(topic);
        let start =
            format_args!("{{\"type\":\"{name}\",\"left_out\":{left_out},\"value\":{value}}}");
        let bytes = match message.write_fmt(start) {
            Ok(()) => message.as_str().len(),
            Err(_) => usize::MAX >> 1,
        };
        if self.can_take(bytes, now) {
            self.round_bytes += bytes;
            self.subscriptions.count_sent(bytes, now);
            self.link.send(message);
            self.link.flush();
        } else {
            self.subscriptions.count_left_out(topic);
        }
    }
}
