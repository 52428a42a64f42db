//! Connections that try to keep the engine busy, to lock others out, or to come in without the
//! token.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use core::time::Duration;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::string::{String, ToString as _};

use std::thread;
use std::time::Instant;

use loligo_allocators::{Allocator as _, HeapAllocator, PageAllocator};
use tungstenite::Message;
use tungstenite::client::IntoClientRequest as _;

use super::super::{ToolOptions, ToolServer};
use super::{beside, connect, open, serve, talk, web};

/// How much a flood is at most: far more than sockets and budgets hold.
const FLOOD_BYTES: usize = 32 << 20;

/// A masked frame of a WebSocket, all on end: `opcode`, no payload, a mask of zeros.
const fn empty_frame(opcode: u8) -> [u8; 6] {
    [opcode, 0x80, 0, 0, 0, 0]
}

/// Sends `piece` again and again after a handshake, until polls have returned in the midst of it;
/// returns how many bytes went.
fn sent_until_polls_return(start: &[u8], piece: &[u8]) -> usize {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let mut server = ToolServer::try_new(open(), &heap).expect("a free port");
    let address = server.address().expect("it listens");
    let (sent, is_enough) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let flood = scope.spawn(|| {
            let mut socket = web(address, None).expect("a program");
            let stream = socket.get_mut();
            stream.write_all(start).expect("it is taken");
            let many = piece.repeat(4096 / piece.len());
            while sent.load(Ordering::Relaxed) < FLOOD_BYTES && !is_enough.load(Ordering::Relaxed) {
                if stream.write_all(&many).is_err() {
                    break;
                }
                sent.fetch_add(many.len(), Ordering::Relaxed);
            }
        });
        // More than the sockets hold, so that polls have read of the flood.
        while sent.load(Ordering::Relaxed) < FLOOD_BYTES / 4 {
            server.poll(&mut serve);
        }
        is_enough.store(true, Ordering::Relaxed);
        // A write that waits for room ends with the connection.
        drop(server);
        flood.join().expect("it has sent");
    });
    sent.load(Ordering::Relaxed)
}

#[test]
fn a_poll_returns_while_frames_that_are_no_message_keep_coming() {
    let ping = empty_frame(0x89);
    let pong = empty_frame(0x8a);
    let continuation = empty_frame(0x00);
    let text_begins = empty_frame(0x01);
    for (name, start, piece) in [
        ("pings", &[][..], ping),
        ("pongs", &[][..], pong),
        ("empty continuations", &text_begins[..], continuation),
    ] {
        let sent = sent_until_polls_return(start, &piece);
        assert!(sent < FLOOD_BYTES, "{name}: a poll ended only with the flood, after {sent} bytes");
    }
}

#[test]
fn a_long_message_arrives_over_several_polls() {
    let terms = "1,".repeat(200_000);
    let request = format!("{{\"type\": \"add\", \"terms\": [{terms}1]}}");
    let line = format!("{request}\n");
    let answers = beside(open(), |at| talk(at, line.as_bytes(), 1));
    assert_eq!(answers, ["{\"type\":\"result\",\"value\":200001}"], "as a line");
    let answer = beside(open(), |at| {
        let mut socket = web(at, None).expect("a program");
        socket.send(Message::text(request)).expect("it is taken");
        socket.read().expect("an answer").to_string()
    });
    assert_eq!(answer, "{\"type\":\"result\",\"value\":200001}", "over a WebSocket");
}

#[test]
fn silent_connections_give_their_place_to_a_tool() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let options = ToolOptions { tools_max: 3, ..open() };
    let mut server = ToolServer::try_new(options, &heap).expect("a free port");
    let address = server.address().expect("it listens");
    let start = Instant::now();
    let after = |seconds| start + Duration::from_secs(seconds);
    let poll_until = |server: &mut ToolServer<'_>, now, tools: usize| {
        // Connections of this machine are there once `connect` has returned, or very soon.
        while server.next_tool < tools as u32 {
            server.poll_at(now, &mut serve);
            thread::yield_now();
        }
    };
    let mut known = connect(address);
    known.write_all(b"{\"type\": \"add\", \"terms\": [1]}\n").expect("it is taken");
    poll_until(&mut server, start, 1);
    while !server.clients.iter().any(|client| client.link.is_known()) {
        server.poll_at(start, &mut serve);
        thread::yield_now();
    }
    let silent = [connect(address), connect(address)];
    poll_until(&mut server, start, 3);

    // Nobody was silent for long: the fourth is refused.
    let mut early = connect(address);
    while !is_closed(&mut early) {
        server.poll_at(after(4), &mut serve);
        thread::yield_now();
    }
    assert_eq!((server.tools(), server.next_tool), (3, 3), "all are still there");

    // Now one of those that never said anything goes, and not the tool that only listens.
    let mut late = connect(address);
    late.write_all(b"{\"type\": \"add\", \"terms\": [2]}\n").expect("it is taken");
    while server.next_tool < 4 {
        server.poll_at(after(6), &mut serve);
        assert!(
            !is_closed(&mut late),
            "it is refused though others have been silent for 6 seconds"
        );
    }
    assert_eq!(server.tools(), 3, "one took the place of another");
    let closed = silent.map(|mut stream| is_closed(&mut stream));
    assert_eq!(closed.iter().filter(|closed| **closed).count(), 1, "{closed:?}");
    assert!(!is_closed(&mut known), "it had said who it is");
    drop(server);
    assert_eq!(heap.stats().live, 0, "nothing is left");
}

/// Whether the server has closed a connection; what it had sent before is read.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a socket");
    let mut bytes = [0; 256];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

/// Runs `tool` while a server runs that asks for its token.
fn beside_with_token<R: Send>(tool: impl FnOnce(core::net::SocketAddr, String) -> R + Send) -> R {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let mut server = ToolServer::try_new(ToolOptions::default(), &heap).expect("a free port");
    let address = server.address().expect("it listens");
    let token = server.token().expect("it is needed unless told otherwise").to_string();
    thread::scope(|scope| {
        let tool = scope.spawn(move || tool(address, token));
        while !tool.is_finished() {
            server.poll(&mut serve);
            thread::yield_now();
        }
        tool.join().expect("the tool is content")
    })
}

#[test]
fn a_tool_without_the_token_is_refused() {
    let add = "\"type\": \"add\", \"terms\": [7]}\n";
    for first in ["{", "{\"token\": \"\", ", "{\"token\": \"00000000000000000000000000000000\", "] {
        let request = format!("{first}{add}{{{add}");
        let answers = beside_with_token(|at, _| talk(at, request.as_bytes(), 9));
        assert_eq!(answers.len(), 1, "it is closed after that: {answers:?}");
        assert!(answers[0].contains("the first message needs the port's token"), "{answers:?}");
    }
    let answers = beside_with_token(|at, token| {
        let requests = format!("{{\"token\": \"{token}\", {add}{{{add}");
        talk(at, requests.as_bytes(), 2)
    });
    assert_eq!(answers, ["{\"type\":\"result\",\"value\":7}"; 2], "with the token");
}

#[test]
fn a_page_without_the_token_is_refused() {
    let open_at = |at, path: &str| {
        let mut request = format!("ws://{at}/{path}").into_client_request().expect("an address");
        let page = "http://localhost:8000".parse().expect("a header");
        request.headers_mut().insert("Origin", page);
        let shaken = tungstenite::client(request, connect(at));
        shaken.map(|(socket, _)| socket).map_err(|error| error.to_string())
    };
    for path in ["", "00000000000000000000000000000000", "x"] {
        let error = beside_with_token(|at, _| open_at(at, path).map(drop));
        assert!(error.as_ref().is_err_and(|why| why.contains("403")), "{path:?}: {error:?}");
    }
    let answer = beside_with_token(|at, token| {
        let mut socket = open_at(at, &token).expect("it knows the token");
        socket.send(Message::text("{\"type\": \"add\", \"terms\": [7]}")).expect("it is taken");
        socket.read().expect("an answer").to_string()
    });
    assert_eq!(answer, "{\"type\":\"result\",\"value\":7}", "with the token");
}

#[test]
fn what_is_sent_to_all_is_not_sent_to_a_tool_without_the_token() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let mut server = ToolServer::try_new(ToolOptions::default(), &heap).expect("a free port");
    let mut stranger = connect(server.address().expect("it listens"));
    // A line that has begun makes it a connection of lines.
    stranger.write_all(b"{").expect("it is taken");
    while server.tools() == 0 {
        server.poll(&mut serve);
    }
    server.poll(&mut serve);
    server.broadcast("monitor", &mut |writer| writer.f64(0.5)).expect("it fits");
    drop(server);
    let mut heard = String::new();
    // A reset is not a byte either.
    let _ = stranger.read_to_string(&mut heard);
    assert_eq!(heard, "", "it hears nothing");
}
