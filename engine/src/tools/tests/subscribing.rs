//! Tools that subscribe: those that read, those that read slowly, and those that read nothing.

use core::fmt::Write as _;
use core::time::Duration;
use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::net::TcpStream;
use std::string::{String, ToString as _};
use std::time::Instant;

use loligo_allocators::{Allocator as _, HeapAllocator, PageAllocator};
use tungstenite::Message;

use super::super::{ToolServer, ToolTopic};
use super::{connect, open, serve, web};

const TOPICS: [ToolTopic; 3] = [
    ToolTopic { name: "news", interval: Duration::from_millis(50), missing: None },
    ToolTopic { name: "weather", interval: Duration::from_millis(500), missing: None },
    ToolTopic {
        name: "sports",
        interval: Duration::from_millis(50),
        missing: Some("nobody plays; send somebody out"),
    },
];

const SECOND: Duration = Duration::from_secs(1);

/// Runs `act` with a server of these topics.
fn with_server(act: impl FnOnce(&mut ToolServer<'_>, &HeapAllocator<'_, PageAllocator>)) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    {
        let mut server = ToolServer::try_new(open(), &heap).expect("a free port");
        server.set_topics(&TOPICS).expect("there is memory");
        act(&mut server, &heap);
    }
    assert_eq!(heap.stats().live, 0, "nothing is left");
}

/// A tool over TCP, on the same thread as the server.
struct Reader(BufReader<TcpStream>);

impl Reader {
    fn connect(server: &ToolServer<'_>) -> Self {
        Self(BufReader::new(connect(server.address().expect("it listens"))))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line.trim_end().to_string()
    }

    /// Returns the next line, and serves meanwhile.
    fn line_of(&mut self, server: &mut ToolServer<'_>, now: Instant) -> String {
        self.0.get_ref().set_nonblocking(true).expect("a socket");
        let mut line = String::new();
        while !line.ends_with('\n') {
            server.poll_at(now, &mut serve);
            match self.0.read_line(&mut line) {
                Ok(bytes) => assert!(bytes > 0, "the server has closed the connection"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
            }
        }
        self.0.get_ref().set_nonblocking(false).expect("a socket");
        line.trim_end().to_string()
    }

    /// Sends a request and returns the answer.
    fn ask(&mut self, server: &mut ToolServer<'_>, request: &str) -> String {
        self.0.get_mut().write_all(format!("{request}\n").as_bytes()).expect("it is sent");
        while server.poll(&mut serve) == 0 {}
        self.line()
    }
}

/// Sends a number as news.
fn publish(server: &mut ToolServer<'_>, now: Instant, number: u64) {
    server.begin_round();
    server.publish_at(now, "news", &mut |writer| writer.u64(number)).expect("it fits");
}

#[test]
fn a_tool_hears_what_it_has_subscribed_to() {
    with_server(|server, _| {
        let mut reader = Reader::connect(server);
        let now = Instant::now();
        publish(server, now, 1);
        assert!(!server.has_subscribers("news"), "nobody has subscribed");
        let answer = reader.ask(server, r#"{"id": 1, "type": "subscribe", "topics": ["news"]}"#);
        assert_eq!(
            answer,
            concat!(
                r#"{"id":1,"type":"result","value":{"topics":[{"name":"news","interval_ms":50}],"#,
                r#""messages_a_second":100,"bytes_a_second":4194304}}"#
            ),
            "with its bounds"
        );
        assert!(server.has_subscribers("news") && !server.has_subscribers("weather"), "one topic");
        publish(server, now, 2);
        let mut asked = false;
        let weather = &mut |writer: &mut loligo_sjson::Writer<'_>| {
            asked = true;
            writer.null()
        };
        server.publish_at(now, "weather", weather).expect("it fits");
        assert!(!asked, "what nobody hears is not written");
        assert_eq!(reader.line(), r#"{"type":"news","left_out":0,"value":2}"#, "and not the first");
        let answer = reader.ask(server, r#"{"type": "subscribe", "topics": ["weather"]}"#);
        assert!(answer.contains(r#""name":"news""#), "topics are added: {answer}");
        let answer = reader.ask(server, r#"{"type": "unsubscribe", "topics": ["news"]}"#);
        assert!(!answer.contains("news") && answer.contains("weather"), "{answer}");
        publish(server, now, 3);
        let answer = reader.ask(server, r#"{"type": "unsubscribe"}"#);
        assert!(answer.contains(r#""topics":[]"#), "all are ended, and nothing came: {answer}");
    });
}

#[test]
fn what_exceeds_the_bounds_is_left_out_and_counted() {
    with_server(|server, _| {
        let mut reader = Reader::connect(server);
        let request = r#"{"type": "subscribe", "topics": ["news"], "messages_a_second": 2, "bytes_a_second": 2000}"#;
        let answer = reader.ask(server, request);
        assert!(answer.ends_with(r#""messages_a_second":2,"bytes_a_second":2000}}"#), "{answer}");
        let now = Instant::now();
        (0..5).for_each(|number| publish(server, now, number));
        publish(server, now + SECOND, 5);
        let lines = [(); 3].map(|()| reader.line());
        assert_eq!(
            lines,
            [
                r#"{"type":"news","left_out":0,"value":0}"#,
                r#"{"type":"news","left_out":0,"value":1}"#,
                r#"{"type":"news","left_out":3,"value":5}"#,
            ],
            "two a second"
        );
        // Bytes: a message of 1500, then one that is too much, then a small one.
        let long = |server: &mut ToolServer<'_>, now: Instant| {
            let text = "x".repeat(1500);
            server.publish_at(now, "news", &mut |writer| writer.string(&text)).expect("it fits");
        };
        reader.ask(server, r#"{"type": "subscribe", "topics": ["news"], "messages_a_second": 9}"#);
        let now = now + 2 * SECOND;
        long(server, now);
        long(server, now);
        publish(server, now, 6);
        assert_eq!(reader.line().len(), 1500 + 39, "the first");
        assert_eq!(reader.line(), r#"{"type":"news","left_out":4,"value":6}"#, "not the second");
    });
}

#[test]
fn a_tool_that_reads_nothing_costs_no_memory_and_stays() {
    const ROUNDS: u64 = 2000;
    let text = "x".repeat(64 << 10);
    with_server(|server, heap| {
        let mut reader = Reader::connect(server);
        let bounds = r#""messages_a_second": 1000, "bytes_a_second": 16777216"#;
        reader.ask(server, &format!(r#"{{"type": "subscribe", "topics": ["news"], {bounds}}}"#));
        let mut now = Instant::now();
        let mut written = 0;
        // How much the system takes, and when, is its own affair.
        let mut most = 0;
        for _ in 0..ROUNDS {
            now += SECOND;
            server.poll_at(now, &mut serve);
            server.begin_round();
            let news = &mut |writer: &mut loligo_sjson::Writer<'_>| {
                written += 1;
                writer.string(&text)
            };
            server.publish_at(now, "news", news).expect("it fits");
            // Of these 128 MiB the sockets hold some.
            most = most.max(heap.stats().requested);
        }
        assert_eq!(server.tools(), 1, "it is still connected");
        assert!(written < ROUNDS, "{written}: what nobody reads is not even written");
        assert!(most < 1 << 20, "{most} bytes");
        // It reads at last: whole messages, and then how many were left out.
        for _ in 0..written {
            let line = reader.line_of(server, now);
            assert!(line.ends_with(r#"x"}"#) && line.len() > text.len(), "{} bytes", line.len());
        }
        now += SECOND;
        publish(server, now, 1);
        let left_out = ROUNDS - written;
        let last = format!(r#"{{"type":"news","left_out":{left_out},"value":1}}"#);
        assert_eq!(reader.line(), last, "what came meanwhile is counted");
    });
}

#[test]
fn a_web_socket_that_reads_nothing_stays_as_well() {
    let text = "x".repeat(64 << 10);
    with_server(|server, _| {
        let address = server.address().expect("it listens");
        let mut socket = std::thread::scope(|scope| {
            let socket = scope.spawn(move || {
                let mut socket = web(address, None).expect("a program");
                let request = r#"{"type": "subscribe", "topics": ["news"]}"#;
                socket.send(Message::text(request)).expect("it is sent");
                socket.read().expect("an answer");
                socket
            });
            while !socket.is_finished() {
                server.poll(&mut serve);
            }
            socket.join().expect("the tool is content")
        });
        let mut now = Instant::now();
        let mut written = 0;
        for _ in 0..1000 {
            now += SECOND;
            server.poll_at(now, &mut serve);
            server.begin_round();
            let news = &mut |writer: &mut loligo_sjson::Writer<'_>| {
                written += 1;
                writer.string(&text)
            };
            server.publish_at(now, "news", news).expect("it fits");
        }
        assert_eq!(server.tools(), 1, "it is still connected");
        assert!(written < 1000, "{written}");
        socket.get_ref().0.set_nonblocking(true).expect("a socket");
        let mut read = 0;
        while read < written {
            server.poll_at(now, &mut serve);
            match socket.read() {
                Ok(message) => {
                    assert!(message.len() > text.len(), "{} bytes", message.len());
                    read += 1;
                }
                Err(tungstenite::Error::Io(error)) => {
                    assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
                }
                Err(error) => panic!("{error}"),
            }
        }
        socket.get_ref().0.set_nonblocking(false).expect("a socket");
        publish(server, now + SECOND, 1);
        let mut last = String::new();
        write!(last, r#"{{"type":"news","left_out":{},"value":1}}"#, 1000 - written)
            .expect("a string takes all");
        assert_eq!(socket.read().expect("a message").to_string(), last, "it is counted");
    });
}

#[test]
fn requests_that_are_wrong_change_nothing_and_say_why() {
    with_server(|server, _| {
        let mut reader = Reader::connect(server);
        for (members, said) in [
            ("", "expected an array of names as the member `topics`, of news, weather, sports"),
            (r#", "topics": "news""#, "expected an array of names as the member `topics`"),
            (r#", "topics": [7]"#, "expected an array of names as the member `topics`"),
            (r#", "topics": ["new"]"#, "there is no topic `new`; one of news, weather, sports"),
            (
                r#", "topics": ["news", "sports"]"#,
                "the topic `sports` is not available: nobody plays; send somebody out",
            ),
            (
                r#", "topics": ["news"], "messages_a_second": 0"#,
                "expected a whole number from 1 to 1000 as the member `messages_a_second`",
            ),
            (
                r#", "topics": ["news"], "bytes_a_second": 1e9"#,
                "expected a whole number from 1024 to 16777216 as the member `bytes_a_second`",
            ),
        ] {
            let answer = reader.ask(server, &format!(r#"{{"type": "subscribe"{members}}}"#));
            assert!(answer.starts_with(r#"{"type":"error""#), "{members}: {answer}");
            assert!(answer.contains(said), "{members}: {answer}");
            assert!(!server.has_subscribers("news"), "{members} changes nothing");
        }
        let answer = reader.ask(server, r#"{"type": "unsubscribe", "topics": ["new"]}"#);
        assert!(answer.contains("there is no topic `new`"), "{answer}");
    });
}

#[test]
fn a_message_that_does_not_fit_is_left_out() {
    with_server(|server, _| {
        let mut reader = Reader::connect(server);
        reader.ask(server, r#"{"type": "subscribe", "topics": ["news"]}"#);
        let now = Instant::now();
        let long = "x".repeat(5 << 20);
        server.begin_round();
        let written = server.publish_at(now, "news", &mut |writer| writer.string(&long));
        assert!(written.is_err(), "4 MiB wait at most");
        publish(server, now, 1);
        assert_eq!(reader.line(), r#"{"type":"news","left_out":1,"value":1}"#, "it is counted");
    });
}
