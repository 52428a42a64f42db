//! `loligo inspect`.

use core::time::Duration;
use std::io::{BufReader, Read as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use clap::Args;

use crate::print::{print, say};

mod game_address;
mod page;
mod page_server;

use game_address::{GameAddress, GameError};
use page_server::PageServer;

/// How long until a game that has no place for a tool is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// Shows a game that runs on a page of a browser: frames, threads, memory, log, console, screen.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Inspect {
    /// The port of the game, as `loligo run` prints it, or the folder of its sources [default: .]
    #[arg(value_name = "PORT|PROJECT")]
    game: Option<PathBuf>,

    /// The token of the port [default: that which the game keeps in its data folder]
    #[arg(long, value_name = "TOKEN", requires = "game", conflicts_with = "out")]
    token: Option<String>,

    /// The data folder of the game, where it was run with --out
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// The port of this machine on which the page is; 0 is a free one
    #[arg(long, value_name = "P", default_value_t = 0)]
    page_port: u16,
}

const EXAMPLES: &str = "Examples:
  loligo run samples/20-first-game --window &
  loligo inspect samples/20-first-game     then open the address that is printed
  loligo inspect                           the game of this folder
  loligo inspect 41873 --token TOKEN       a game by its port; `loligo run` prints both

The page is served to browsers of this machine, and ends with the game or by Ctrl-C. Its address has the key to the game:
give it to nobody. What the page shows is described in docs/guide/inspecting.md.
Exit status: 0 the game has ended, 1 no game answers, 2 it could not be done.";

impl Inspect {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.inspect() {
            Ok(()) => ExitCode::SUCCESS,
            Err(GameError::Absent(message)) => {
                say!("loligo: {message}");
                ExitCode::from(1)
            }
            Err(GameError::Argument(message)) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn inspect(&self) -> Result<(), GameError> {
        let game = self.game()?;
        let mut connection = game.connect()?;
        let cannot = |error: &dyn core::fmt::Display| {
            GameError::Argument(format!(
                "port {}: the page cannot be served: {error}; --page-port 0 uses a free port",
                self.page_port
            ))
        };
        let server = Arc::new(PageServer::try_new(self.page_port).map_err(|error| cannot(&error))?);
        let address = server.address();
        let at = game.address;
        // It ends with the program.
        let serve = move || server.serve(&page::page(), at);
        thread::Builder::new().name("page".into()).spawn(serve).map_err(|error| cannot(&error))?;
        print(&format!("http://{address}/#game={game}\n")).map_err(GameError::Argument)?;
        say!("loligo: open that address in a browser; Ctrl-C ends it");
        loop {
            // The game sends nothing here until it ends.
            connection.get_ref().set_read_timeout(None).map_err(|error| cannot(&error))?;
            while matches!(connection.read(&mut [0; 256]), Ok(1..)) {}
            match reconnected(&game) {
                Some(again) => connection = again,
                None => break,
            }
        }
        say!("loligo: the game at {at} has ended");
        Ok(())
    }

    /// Returns where the game is.
    fn game(&self) -> Result<GameAddress, GameError> {
        let named = self.game.as_deref();
        let port = named.and_then(|game| game.to_str()?.parse::<u16>().ok());
        let project = named.filter(|_| port.is_none());
        match (&self.token, port, &self.out) {
            (Some(token), Some(port), _) => GameAddress::of_port(port, token),
            (Some(_), None, _) => Err(GameError::Argument(format!(
                "`{}` is not a port: --token goes with the number of one",
                named.unwrap_or(Path::new("")).display()
            ))),
            (None, _, Some(data)) => GameAddress::of_folder(data, port),
            (None, ..) => GameAddress::of_project(project.unwrap_or(Path::new(".")), port),
        }
    }
}

/// Connects again to a game that has closed the connection, which it does where other tools want the
/// place; returns nothing where there is no game any more.
fn reconnected(game: &GameAddress) -> Option<BufReader<TcpStream>> {
    while TcpStream::connect(game.address).is_ok() {
        if let Ok(connection) = game.connect() {
            return Some(connection);
        }
        thread::sleep(AGAIN);
    }
    None
}
