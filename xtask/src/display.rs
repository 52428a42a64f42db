//! A display that nobody sees, for a run in a window.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::command;
use crate::debian;
use crate::outcome::Failure;

/// What has the display, and what a program loads to open a window there.
const PACKAGES: [&str; 5] = ["libx11-xcb1", "libxcursor1", "libxi6", "libxkbcommon-x11-0", "xvfb"];

/// A picture of the display has at least this many colors once a game is shown; an empty one has
/// one or two.
const COLORS_MIN: usize = 100;

/// The bytes of a header in a picture of the display, and where it says how long it is and how many
/// colors it lists.
const HEADER: usize = 100;
const HEADER_BYTES: usize = 0;
const COLOR_COUNT: usize = 76;
/// The bytes of a color in that list.
const COLOR_BYTES: usize = 12;

/// A separate display; it ends when it is dropped.
pub(crate) struct Display {
    program: Child,
    /// By which programs find it, as `:7`.
    pub(crate) name: String,
    picture: PathBuf,
}

impl Display {
    /// Starts a display whose pictures are in `folder`, or says why there is none.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it starts and cannot be reached.
    pub(crate) fn start(folder: &Path) -> Result<Result<Self, String>, Failure> {
        let missing: Vec<_> = PACKAGES.into_iter().filter(|name| !is_there(name)).collect();
        if let Some(package) = missing.into_iter().find(|package| !debian::installed(package)) {
            return Ok(Err(format!("`{package}` is not installed")));
        }
        let mut command = command::without_cargo_variables("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "1600x1000x24", "-noreset", "-fbdir"]);
        command.arg(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut program) = command.spawn() else {
            return Ok(Err("there is no Xvfb".into()));
        };
        let mut number = String::new();
        if let Some(said) = program.stdout.take() {
            BufReader::new(said)
                .read_line(&mut number)
                .map_err(|error| Failure::io("cannot read the number of the display", &error))?;
        }
        let (name, picture) = (format!(":{}", number.trim()), folder.join("Xvfb_screen0"));
        let display = Self { program, name, picture };
        if number.trim().is_empty() {
            return Ok(Err("Xvfb ends at once".into()));
        }
        Ok(Ok(display))
    }

    /// Returns `true` if more is seen than an empty screen.
    pub(crate) fn shows_something(&self) -> bool {
        fs::read(&self.picture).is_ok_and(|picture| colors(&picture) >= COLORS_MIN)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Returns `true` if a package of Debian's is installed. Also `true` on other systems, where its
/// programs are looked for when they are used.
fn is_there(package: &str) -> bool {
    let mut ask = Command::new("dpkg");
    ask.args(["--status", package]).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok_and(|status| status.success()) || !command::answers("dpkg")
}

/// Returns how many colors a picture of the display has, which is a window dump of X11: a header, a
/// list of colors, and four bytes a pixel.
fn colors(picture: &[u8]) -> usize {
    let word = |at: usize| {
        let bytes = picture.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(bytes) as usize)
    };
    let start = match (word(HEADER_BYTES), word(COLOR_COUNT)) {
        (Some(header), Some(colors)) if header >= HEADER => header + colors * COLOR_BYTES,
        _ => return 0,
    };
    let mut pixels: Vec<&[u8]> = picture.get(start..).unwrap_or_default().chunks_exact(4).collect();
    pixels.sort_unstable();
    pixels.dedup();
    pixels.len()
}

#[cfg(test)]
mod tests {
    use super::{COLOR_BYTES, COLOR_COUNT, HEADER, colors};

    #[test]
    fn colors_are_counted_behind_the_header_and_the_list() {
        let mut picture = vec![0; HEADER];
        picture[3] = HEADER as u8;
        picture[COLOR_COUNT + 3] = 2;
        // The colors of the list are not pixels.
        picture.extend((0..2 * COLOR_BYTES).map(|byte| byte as u8));
        for pixel in [[1, 2, 3, 0], [4, 5, 6, 0], [1, 2, 3, 0]] {
            picture.extend(pixel);
        }
        assert_eq!(colors(&picture), 2);
        assert_eq!(colors(&picture[..HEADER - 1]), 0, "half a header is no picture");
        assert_eq!(colors(b""), 0, "nor is nothing");
    }
}
