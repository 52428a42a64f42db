//! A stream of which a poll reads a bounded number of bytes.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

/// The most bytes that are read of one link in one poll. A WebSocket frame has 6 bytes at least, so
/// that a link that sends nothing but empty frames makes a poll look at 11 000 of them, half a
/// millisecond.
pub(super) const BYTES_A_POLL: usize = 64 << 10;

/// A connection that has no more to read once the budget of a poll is used up.
///
/// The budget is here and not around the calls that read a message, because the WebSocket library
/// goes on reading by itself while frames come that are not messages.
#[derive(Debug)]
pub(super) struct Metered {
    stream: TcpStream,
    left: usize,
}

impl Metered {
    pub(super) const fn new(stream: TcpStream) -> Self {
        Self { stream, left: BYTES_A_POLL }
    }

    /// Gives the stream the budget of a new poll.
    pub(super) const fn refill(&mut self) {
        self.left = BYTES_A_POLL;
    }

    pub(super) const fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

impl Read for Metered {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !bytes.is_empty() {
            return Err(ErrorKind::WouldBlock.into());
        }
        let most = bytes.len().min(self.left);
        let read = self.stream.read(&mut bytes[..most])?;
        self.left -= read;
        Ok(read)
    }
}

impl Write for Metered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
