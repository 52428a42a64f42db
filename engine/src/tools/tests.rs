//! Tools that behave, and tools that do not.

use core::fmt::Write as _;
use core::net::SocketAddr;
use core::time::Duration;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::string::{String, ToString as _};
use std::thread;
use std::vec::Vec;

use loligo_allocators::{Allocator as _, HeapAllocator, PageAllocator};
use loligo_sjson::Writer;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

use super::{ToolError, ToolOptions, ToolRequest, ToolServer};

mod attacks;
mod subscribing;

/// So long a tool waits before the server counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection whose reads have a time limit. Such a read is interrupted when the process was
/// stopped and goes on; it is begun again.
struct Patient(TcpStream);

impl Read for Patient {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Options of a port that asks for no token.
fn open() -> ToolOptions {
    ToolOptions { needs_token: false, ..ToolOptions::default() }
}

/// What the engine of these tests can do.
fn serve(request: &ToolRequest<'_>, writer: &mut Writer<'_>) -> Result<(), String> {
    match request.kind {
        "add" => {
            let terms = request.body.get("terms").ok_or("no terms")?;
            let sum = terms.items().filter_map(|term| term.as_i64()).sum();
            writer.i64(sum).map_err(|error| error.to_string())
        }
        "repeat" => {
            let text = "again ".repeat(1000);
            writer.string(&text).map_err(|_| "too long".to_string())
        }
        other => Err(format!("nothing is called `{other}`")),
    }
}

/// Runs `tool` while a server runs, and returns its result.
fn beside<R: Send>(options: ToolOptions, tool: impl FnOnce(SocketAddr) -> R + Send) -> R {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let done = {
        let mut server = ToolServer::try_new(options, &heap).expect("a free port");
        let address = server.address().expect("it listens");
        thread::scope(|scope| {
            let tool = scope.spawn(move || tool(address));
            while !tool.is_finished() {
                server.poll(&mut serve);
                thread::yield_now();
            }
            tool.join().expect("the tool is content")
        })
    };
    assert_eq!(heap.stats().live, 0, "nothing is left");
    done
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("it can be set");
    stream
}

/// Sends some bytes and returns all lines that come until the server closes, or `lines` have come.
fn talk(address: SocketAddr, bytes: &[u8], lines: usize) -> Vec<String> {
    let mut stream = connect(address);
    // The server may close while this is still being sent.
    let _ = stream.write_all(bytes);
    let reader = BufReader::new(stream);
    reader.lines().take(lines).map_while(Result::ok).collect()
}

fn web(address: SocketAddr, origin: Option<&str>) -> tungstenite::Result<WebSocket<Patient>> {
    let mut request = format!("ws://{address}/").into_client_request().expect("an address");
    if let Some(origin) = origin {
        request.headers_mut().insert("Origin", origin.parse().expect("a header"));
    }
    let shaken = tungstenite::client(request, Patient(connect(address)));
    shaken.map(|(socket, _)| socket).map_err(|error| match error {
        tungstenite::HandshakeError::Failure(error) => error,
        tungstenite::HandshakeError::Interrupted(_) => panic!("the server hangs"),
    })
}

#[test]
fn requests_are_answered_line_by_line() {
    let requests = concat!(
        "{\"id\": 1, \"type\": \"add\", \"terms\": [1, 2, 3]}\r\n",
        "{\"type\": \"add\", \"terms\": []}\n",
        "{\"id\": 3, \"type\": \"fly\"}\n",
        "{\"id\": 4}\n",
    );
    let answers = beside(open(), |at| talk(at, requests.as_bytes(), 4));
    assert_eq!(
        answers,
        [
            "{\"id\":1,\"type\":\"result\",\"value\":6}",
            "{\"type\":\"result\",\"value\":0}",
            "{\"id\":3,\"type\":\"error\",\"message\":\"nothing is called `fly`\"}",
            "{\"id\":4,\"type\":\"error\",\"message\":\"expected a string as the member `type`\"}",
        ],
        "in their order"
    );
}

#[test]
fn a_tool_that_says_no_more_gets_its_answers() {
    let answers = beside(open(), |at| {
        let mut stream = connect(at);
        for _ in 0..200 {
            stream.write_all(b"{\"type\": \"repeat\"}\n").expect("it is taken");
        }
        stream.shutdown(std::net::Shutdown::Write).expect("it can be");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("answers, and an end");
        text
    });
    assert_eq!(answers.lines().count(), 200, "one for each");
    assert!(answers.lines().all(|line| line.len() > 6000), "each whole");
}

#[test]
fn requests_are_answered_over_a_web_socket() {
    let answers = beside(open(), |at| {
        let mut socket = web(at, Some("http://localhost:8000")).expect("a page of this machine");
        let mut ask = |text: &str| {
            socket.send(Message::text(text)).expect("it is taken");
            socket.read().expect("an answer").to_string()
        };
        let answers = [
            ask("{\"id\": 1, \"type\": \"add\", \"terms\": [40, 2]}"),
            ask("{\"id\": 2, \"type\": \"fly\"}"),
            ask("[]"),
        ];
        socket.close(None).expect("it is open");
        answers
    });
    assert_eq!(
        answers,
        [
            "{\"id\":1,\"type\":\"result\",\"value\":42}",
            "{\"id\":2,\"type\":\"error\",\"message\":\"nothing is called `fly`\"}",
            "{\"type\":\"error\",\"message\":\"expected a JSON object as the message\"}",
        ],
        "each its own"
    );
}

#[test]
fn pages_of_others_are_refused() {
    for origin in ["http://evil.example", "null", "http://localhost.evil.example"] {
        let result = beside(open(), |at| web(at, Some(origin)).map(drop));
        let Err(tungstenite::Error::Http(response)) = result else {
            panic!("{origin} was let in: {result:?}");
        };
        assert_eq!(response.status().as_u16(), 403, "{origin}");
    }
    assert!(beside(open(), |at| web(at, None).is_ok()), "a program is no page");
}

#[test]
fn a_form_of_a_page_is_closed_before_its_body_is_read() {
    let post = "POST / HTTP/1.1\r\nHost: x\r\n\r\n{\"type\": \"add\", \"terms\": [1]}\n";
    let answers = beside(open(), |at| talk(at, post.as_bytes(), 9));
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert!(
        answers[0].starts_with("{\"type\":\"error\",\"message\":\"the message is no JSON: 1:1"),
        "{answers:?}"
    );
}

#[test]
fn a_tool_that_was_understood_once_may_err() {
    let requests =
        "{\"type\": \"add\", \"terms\": [1]}\noops\n{\"type\": \"add\", \"terms\": [2]}\n";
    let answers = beside(open(), |at| talk(at, requests.as_bytes(), 3));
    assert_eq!(answers[2], "{\"type\":\"result\",\"value\":2}", "after an error: {answers:?}");
}

#[test]
fn messages_that_are_too_long_or_no_text_end_a_connection() {
    let options = ToolOptions { message_bytes_max: 100, ..open() };
    let said = "{\"type\":\"error\",\"message\":\"a message is longer than 100 bytes\"}";
    let answers = beside(options, |at| talk(at, &[b'{'; 150], 9));
    assert_eq!(answers, [said], "a line without an end");
    let answer = beside(options, |at| {
        let mut socket = web(at, None).expect("a program");
        socket.send(Message::text("x".repeat(150))).expect("it is taken");
        let answer = socket.read().map(|message| message.to_string());
        (answer.ok(), socket.read().is_err() || !socket.can_read())
    });
    assert_eq!(answer.0.as_deref(), Some(said), "a long message");
    let answers = beside(options, |at| talk(at, b"{\"a\": \"\xff\"}\n", 9));
    assert_eq!(answers, ["{\"type\":\"error\",\"message\":\"a message is no UTF-8\"}"], "no text");
    let answer = beside(options, |at| {
        let mut socket = web(at, None).expect("a program");
        socket.send(Message::binary(vec![1, 2])).expect("it is taken");
        socket.read().expect("an answer").to_string()
    });
    assert_eq!(
        answer, "{\"type\":\"error\",\"message\":\"a message is binary, not text\"}",
        "binary"
    );
}

#[test]
fn a_tool_that_takes_nothing_is_cut_off() {
    let options = ToolOptions { waiting_bytes_max: 20_000, ..open() };
    let taken = beside(options, |at| {
        let mut stream = connect(at);
        // Answers of 6 MB in all, of which nothing is read before all are asked for.
        for _ in 0..1000 {
            if stream.write_all(b"{\"type\": \"repeat\"}\n").is_err() {
                break;
            }
        }
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes.len()
    });
    assert!(taken < 6_000_000, "{taken} bytes were taken");
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let options = ToolOptions { waiting_bytes_max: 3000, ..open() };
    let answers = beside(options, |at| talk(at, b"{\"id\": 5, \"type\": \"repeat\"}\n", 1));
    assert_eq!(
        answers,
        ["{\"id\":5,\"type\":\"error\",\"message\":\"too long\"}"],
        "by the engine"
    );
}

#[test]
fn there_are_only_so_many_tools() {
    let options = ToolOptions { tools_max: 2, ..open() };
    beside(options, |at| {
        let ask = |stream: &mut TcpStream| {
            stream.write_all(b"{\"type\": \"add\", \"terms\": [7]}\n").expect("it is taken");
            let mut answer = [0; 28];
            stream.read_exact(&mut answer)
        };
        let mut tools = [connect(at), connect(at)];
        for tool in &mut tools {
            ask(tool).expect("an answer");
        }
        let mut third = connect(at);
        let closed = third.write_all(b"{}\n").is_err() || !matches!(third.read(&mut [0]), Ok(1));
        assert!(closed, "the third is closed");
        let [first, mut second] = tools;
        drop(first);
        ask(&mut second).expect("it is still connected");
    });
}

#[test]
fn all_tools_hear_a_broadcast() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let mut server = ToolServer::try_new(open(), &heap).expect("a free port");
    let address = server.address().expect("it listens");
    let heard = thread::scope(|scope| {
        let tools = [(); 2].map(|()| {
            scope.spawn(move || {
                let answers = talk(address, b"{\"type\": \"add\", \"terms\": [1]}\n", 2);
                answers.last().cloned().unwrap_or_default()
            })
        });
        let mut served = 0;
        while served < 2 {
            served += server.poll(&mut serve);
            thread::yield_now();
        }
        server.broadcast("monitor", &mut |writer| writer.f64(0.5)).expect("it fits");
        while tools.iter().any(|tool| !tool.is_finished()) {
            server.poll(&mut serve);
            thread::yield_now();
        }
        tools.map(|tool| tool.join().expect("the tool is content"))
    });
    assert_eq!(heard, ["{\"type\":\"monitor\",\"value\":0.5}"; 2], "both");
}

#[test]
fn addresses_that_others_see_are_refused_unless_asked_for() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let address = SocketAddr::from(([0, 0, 0, 0], 0));
    let options = ToolOptions { address, ..open() };
    let error = ToolServer::try_new(options, &heap).expect_err("others see it");
    assert!(matches!(error, ToolError::BeyondLoopback(_)), "{error}");
    let mut said = String::new();
    write!(said, "{error}").expect("a string takes all");
    assert!(said.starts_with("tools cannot be served at 0.0.0.0:0: "), "{said}");
    let first = ToolServer::try_new(open(), &heap).expect("a free port");
    let taken = ToolOptions { address: first.address().expect("it listens"), ..open() };
    let error = ToolServer::try_new(taken, &heap).expect_err("it is in use");
    assert!(error.to_string().contains("port 0 takes a free one"), "{error}");
}
