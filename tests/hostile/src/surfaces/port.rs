//! What a tool sends to the engine.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use loligo_allocators::{HeapAllocator, Locked, PageAllocator};
use loligo_engine::{ToolOptions, ToolServer};

use super::{Seeds, Surface};

/// Where the token is in what is sent.
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Connections that send what is spoiled to a port of their own.
pub(crate) struct Port {
    server: ToolServer<'static>,
    token: String,
    served: u64,
}

impl Port {
    pub(crate) fn try_new() -> io::Result<Self> {
        // One for the process, which ends with it.
        let pages: &'static PageAllocator = Box::leak(Box::new(PageAllocator::new("pages")));
        let heap = Box::leak(Box::new(Locked::new(HeapAllocator::new_in("tools", pages))));
        let server = ToolServer::try_new(ToolOptions::default(), heap);
        let server = server.map_err(|error| io::Error::other(error.to_string()))?;
        let token = server.token().map(|token| token.to_string()).unwrap_or_default();
        Ok(Self { server, token, served: 0 })
    }
}

impl Surface for Port {
    fn seeds(&self) -> Seeds {
        let upgrade = format!(
            "GET /{TOKEN} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        );
        // A text, a ping, a pong and continuations without an end, masked by zeros.
        let frames: [&[u8]; 4] = [
            b"\x81\x8f\0\0\0\0{\"type\":\"quit\"}",
            b"\x89\x80\0\0\0\0",
            b"\x8a\x84\0\0\0\0pong",
            b"\x01\x80\0\0\0\0\0\x80\0\0\0\0",
        ];
        let mut real: Vec<(String, Vec<u8>)> = vec![
            (
                "tcp".to_owned(),
                format!(
                    "{{\"token\":\"{TOKEN}\",\"id\":1,\"type\":\"script\",\"code\":\"return 1\"}}\n"
                )
                .into_bytes(),
            ),
            (
                "tcp".to_owned(),
                format!("{{\"token\":\"{TOKEN}\",\"type\":\"monitor\"}}\n{{\"type\":\"quit\"}}\n")
                    .into_bytes(),
            ),
        ];
        for frame in frames {
            real.push(("socket".to_owned(), [upgrade.as_bytes(), frame].concat()));
        }
        let pings = [upgrade.as_bytes(), &frames[1].repeat(20_000)[..]].concat();
        let long =
            [upgrade.as_bytes(), b"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0"].concat();
        let deep = format!("{{\"token\":\"{TOKEN}\",\"type\":{}", "[".repeat(100_000)).into_bytes();
        let harmful = [("pings", pings), ("long", long), ("deep", deep)];
        Seeds { harmful: harmful.map(|(name, bytes)| (name.to_owned(), bytes)).into(), real }
    }

    fn feed(&mut self, _: &str, input: &[u8]) {
        let Ok(address) = self.server.address() else { return };
        let Ok(mut tool) = TcpStream::connect(address) else { return };
        // Errors are right: the server may have closed the connection.
        let _ = tool.set_nonblocking(true);
        let text = String::from_utf8_lossy(input);
        let with_token =
            text.contains(TOKEN).then(|| text.replace(TOKEN, &self.token).into_bytes());
        let mut rest = with_token.as_deref().unwrap_or(input);
        for _ in 0..64 {
            let sent = tool.write(rest).unwrap_or(0);
            rest = &rest[sent..];
            let served = &mut self.served;
            self.server.poll(&mut |request, writer| {
                *served += 1;
                writer.string(request.kind).map_err(|_| "it is too long".to_owned())
            });
            let _ = tool.read(&mut [0; 4096]);
            if rest.is_empty() && sent == 0 {
                break;
            }
        }
        drop(tool);
        self.server.poll(&mut |_, _| Err("it has gone".to_owned()));
    }
}
