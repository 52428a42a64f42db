//! Serves the page to browsers of this machine: one page, at one path, over HTTP 1.1.
//!
//! The page has no secret in it. Other pages cannot read it all the same: requests with another
//! name of the host, which a page gets by a name that is resolved to this machine, are refused.

use core::fmt::Write as _;
use core::net::{Ipv4Addr, SocketAddr};
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// The most bytes of a request that are read, and how long it may take.
const REQUEST_BYTES: u64 = 16 << 10;
const PATIENCE: Duration = Duration::from_secs(5);

/// The most browsers that are served at a time.
const CONNECTIONS_MAX: u32 = 16;

/// A port of this machine on which the page is.
#[derive(Debug)]
pub(super) struct PageServer {
    listener: TcpListener,
    address: SocketAddr,
}

/// What a request is answered with.
struct Answer<'p> {
    status: &'static str,
    kind: &'static str,
    body: &'p str,
}

impl PageServer {
    /// Opens the port; 0 takes a free one.
    pub(super) fn try_new(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves the page for as long as the program runs; it may connect to one game alone.
    pub(super) fn serve(&self, page: &str, game: SocketAddr) {
        let connections = AtomicU32::new(0);
        thread::scope(|scope| {
            for stream in self.listener.incoming() {
                // A connection that is broken before it is accepted is nobody's.
                let Ok(stream) = stream else { continue };
                // Relaxed: it counts and orders nothing.
                if connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS_MAX {
                    connections.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let connections = &connections;
                let serve = move || {
                    // A browser that goes away needs no answer.
                    let _ = self.answer(stream, page, game);
                    connections.fetch_sub(1, Ordering::Relaxed);
                };
                if thread::Builder::new().spawn_scoped(scope, serve).is_err() {
                    connections.fetch_sub(1, Ordering::Relaxed);
                }
            }
        });
    }

    fn answer(&self, stream: TcpStream, page: &str, game: SocketAddr) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut head = String::new();
        let mut reader = BufReader::new((&stream).take(REQUEST_BYTES));
        loop {
            let before = head.len();
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
            if head[before..].trim_end().is_empty() {
                break;
            }
        }
        let Answer { status, kind, body } = self.choose(&head, page);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
             Content-Security-Policy: {}\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Cache-Control: no-store\r\nConnection: close\r\n\r\n",
            body.len(),
            policy(game)
        );
        if !head.starts_with("HEAD ") {
            text.push_str(body);
        }
        (&stream).write_all(text.as_bytes())
    }

    fn choose<'p>(&self, head: &str, page: &'p str) -> Answer<'p> {
        let plain = |status, body| Answer { status, kind: "text/plain", body };
        let mut lines = head.lines();
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut hosts = lines.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("host").then(|| value.trim())
        });
        let host = hosts.next();
        if !host.is_some_and(|host| self.is_own(host)) || hosts.next().is_some() {
            return plain(
                "403 Forbidden",
                "the page is at the address that loligo inspect prints\n",
            );
        }
        if method != "GET" && method != "HEAD" {
            return plain("405 Method Not Allowed", "the page is only read\n");
        }
        match path {
            "/" => Answer { status: "200 OK", kind: "text/html", body: page },
            _ => plain("404 Not Found", "there is the page / and nothing else\n"),
        }
    }

    /// Returns `true` for the names of this port that no other page can have.
    fn is_own(&self, host: &str) -> bool {
        ["127.0.0.1", "localhost"].iter().any(|own| {
            let port = host.strip_prefix(own).and_then(|rest| rest.strip_prefix(':'));
            port.and_then(|port| port.parse().ok()) == Some(self.address.port())
        })
    }
}

/// Returns what the page may do: run what is in it, show pictures that it was sent, and connect to
/// its game.
fn policy(game: SocketAddr) -> String {
    format!(
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
         connect-src ws://{game}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request to a server of the page `page`, and returns the answer.
    fn ask(request: impl FnOnce(SocketAddr) -> String + Send) -> String {
        let server = PageServer::try_new(0).expect("a free port");
        let game = SocketAddr::from((Ipv4Addr::LOCALHOST, 7));
        thread::scope(|scope| {
            let address = server.address();
            let asked = scope.spawn(move || {
                let mut stream = TcpStream::connect(address).expect("it listens");
                stream.write_all(request(address).as_bytes()).expect("it is read");
                let mut answer = String::new();
                stream.read_to_string(&mut answer).expect("an answer");
                answer
            });
            let (stream, _) = server.listener.accept().expect("a connection");
            server.answer(stream, "<p>page</p>", game).expect("it is read");
            asked.join().expect("it is content")
        })
    }

    #[test]
    fn the_page_is_served_to_its_own_address_alone() {
        let answer = ask(|at| format!("GET / HTTP/1.1\r\nhost: {at}\r\nAccept: */*\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\n<p>page</p>"), "{answer}");
        assert!(answer.contains("connect-src ws://127.0.0.1:7;"), "one game alone: {answer}");
        assert!(!answer.contains("Access-Control"), "no other page may read it: {answer}");
        let local = ask(|at| format!("GET / HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", at.port()));
        assert!(local.starts_with("HTTP/1.1 200 OK\r\n"), "{local}");
        for host in [
            "Host: evil.example",
            "Host: evil.example:PORT",
            "Host: 127.0.0.1.evil.example:PORT",
            "Host: 127.0.0.1:1",
            "Host: 127.0.0.1",
            "Host: 127.0.0.1:PORT\r\nHost: evil.example",
            "Accept: */*",
        ] {
            let answer = ask(|at| {
                let host = host.replace("PORT", &at.port().to_string());
                format!("GET / HTTP/1.1\r\n{host}\r\n\r\n")
            });
            assert!(answer.starts_with("HTTP/1.1 403 "), "{host}: {answer}");
            assert!(!answer.contains("<p>"), "{host}: {answer}");
        }
    }

    #[test]
    fn there_is_one_page_that_is_only_read() {
        for (request, status) in [
            ("POST /", "405 "),
            ("GET /token", "404 "),
            ("GET /../../etc/passwd", "404 "),
            ("HEAD /", "200 "),
            ("\u{1}", "405 "),
        ] {
            let answer = ask(|at| format!("{request} HTTP/1.1\r\nHost: {at}\r\n\r\n"));
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
            assert!(!answer.contains("<p>"), "{request}: {answer}");
        }
    }
}
