//! Where a game that runs serves tools, and whether it answers.

use core::fmt;
use core::net::{Ipv4Addr, SocketAddr};
use core::time::Duration;
use std::fs;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::net::TcpStream;
use std::path::Path;

use loligo_compiler::Platform;

/// The file of the data folder in which a game keeps its address and its token.
const FILE: &str = "tools";

/// How long a game may take to accept a connection, and for the frame in which it answers.
const CONNECT: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(30);

/// The most bytes of the first answer that are read.
const ANSWER_BYTES: u64 = 4096;

/// The digits of a token.
const TOKEN_DIGITS: usize = 32;

/// An address with its token.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct GameAddress {
    pub(super) address: SocketAddr,
    token: String,
}

/// Why a game cannot be inspected.
#[derive(Debug)]
pub(super) enum GameError {
    /// What was said of it is wrong.
    Argument(String),
    /// There is none, or it refuses.
    Absent(String),
}

impl GameAddress {
    /// Returns the address of a port of this machine.
    pub(super) fn of_port(port: u16, token: &str) -> Result<Self, GameError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        Self::new(address, token).ok_or_else(|| {
            GameError::Argument(format!(
                "a token has {TOKEN_DIGITS} hexadecimal digits, as `loligo run` prints it after the address"
            ))
        })
    }

    /// Reads what the game of a project keeps in its data folder.
    pub(super) fn of_project(project: &Path, port: Option<u16>) -> Result<Self, GameError> {
        let path = project.join(".loligo").join(Platform::here().name);
        Self::of_folder(&path, port)
    }

    /// Reads what a game keeps in its data folder; with a port, it must be that game's.
    pub(super) fn of_folder(data: &Path, port: Option<u16>) -> Result<Self, GameError> {
        let path = data.join(FILE);
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => GameError::Absent(format!(
                "{}: there is no such file, so no game of that folder runs; start one with `loligo run`, or name the \
                 folder of its sources, or its port and --token",
                path.display()
            )),
            _ => GameError::Argument(format!("{}: cannot read: {error}", path.display())),
        })?;
        let parse = || {
            let (address, token) = text.trim_end().split_once('/')?;
            Self::new(address.parse().ok()?, token)
        };
        let found = parse().ok_or_else(|| {
            GameError::Argument(format!(
                "{}: it has no line ADDRESS/TOKEN; it was written by another program",
                path.display()
            ))
        })?;
        match port.filter(|port| *port != found.address.port()) {
            Some(port) => Err(GameError::Absent(format!(
                "{}: the game of that folder is at port {}, not {port}; leave the port out, or give its --token",
                path.display(),
                found.address.port()
            ))),
            None => Ok(found),
        }
    }

    fn new(address: SocketAddr, token: &str) -> Option<Self> {
        let is_token =
            token.len() == TOKEN_DIGITS && token.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_token.then(|| Self { address, token: token.to_owned() })
    }

    /// Connects and has the token checked.
    pub(super) fn connect(&self) -> Result<BufReader<TcpStream>, GameError> {
        let absent = |error: io::Error| {
            GameError::Absent(format!(
                "no game answers at {}: {error}; start one with `loligo run`",
                self.address
            ))
        };
        let mut stream = TcpStream::connect_timeout(&self.address, CONNECT).map_err(absent)?;
        stream.set_read_timeout(Some(ANSWER)).map_err(absent)?;
        let hello = format!("{{\"token\": \"{}\", \"type\": \"unsubscribe\"}}\n", self.token);
        stream.write_all(hello.as_bytes()).map_err(absent)?;
        let mut reader = BufReader::new(stream);
        let mut answer = Vec::new();
        let mut limited = io::Read::take(&mut reader, ANSWER_BYTES);
        limited.read_until(b'\n', &mut answer).map_err(absent)?;
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap_or_default();
        if answer["type"] == "result" {
            return Ok(reader);
        }
        let why = answer["message"].as_str().unwrap_or("its answer is not that of a game");
        Err(GameError::Absent(format!("{} refuses to be inspected: {why}", self.address)))
    }
}

/// As the page is given it.
impl fmt::Display for GameAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.token)
    }
}

/// A token does not get into logs by accident.
impl fmt::Debug for GameAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameAddress").field("address", &self.address).finish_non_exhaustive()
    }
}
