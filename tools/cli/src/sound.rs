//! `loligo sound`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::output::Output;
use crate::print::{print, say};

mod input;
mod meter;
mod page;
mod play;
mod spectrum;
mod structure;
mod subject;

use input::{Input, Setting};
use play::{Heard, Playing};
use subject::{SoundError, Subject};

/// Renders sounds into files, and shows what is in them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Sound {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  loligo sound render steps/gravel.wav -o out.wav
  loligo sound render engine --data game/.loligo/linux --set speed=0..1 --seconds 5 -o out.wav
  loligo sound report engine --data game/.loligo/linux --set speed=0..1 -o engine.html

Exit status: 0 all went well, 1 the sound is wrong, 2 it could not be done.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes what is heard of a sound into a WAV file
    #[command(after_help = "Examples:
  loligo sound render rain.ogg --speed 0.8 -o slow.wav
  loligo sound render engine --data data --set speed=0.7 --seconds 5 -o out.wav
  loligo sound render hit --data data --set material=wood --seed 3 --float -o hit.wav

Exit status: 0 all went well, 1 the sound is wrong, 2 it could not be done.")]
    Render(Render),
    /// Writes a page about a sound: waveform, spectrogram, loudness, tree, curves, memory
    #[command(after_help = "Example:
  loligo sound report engine --data data --set speed=0..1 --seconds 5 -o engine.html

Exit status: 0 all went well, 1 the sound is wrong, 2 it could not be done.")]
    Report(Report),
}

/// Which sound is played, and how.
#[derive(Debug, Args)]
struct Played {
    #[command(flatten)]
    input: Input,

    /// Set a parameter: a number, a word, or a number that goes from one to another; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE|FROM..TO", value_parser = Setting::parse)]
    settings: Vec<Setting>,

    /// How long it is heard [default: until it has ended, or 10 for what has no end]
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f32>,

    /// How fast it is played
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = speed)]
    speed: f32,

    /// Frames a second of what is heard
    #[arg(long, value_name = "HZ", default_value_t = 48_000, value_parser = clap::value_parser!(u32).range(8000..=192_000))]
    rate: u32,

    /// What random choices are made from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

#[derive(Debug, Args)]
struct Render {
    #[command(flatten)]
    played: Played,

    /// The file
    #[arg(long, short, value_name = "OUT.wav")]
    out: PathBuf,

    /// Write floats of 32 bits, which are not cut at full scale [default: whole numbers of 16 bits]
    #[arg(long)]
    float: bool,
}

#[derive(Debug, Args)]
struct Report {
    #[command(flatten)]
    played: Played,

    /// The page
    #[arg(long, short, value_name = "PAGE.html")]
    out: PathBuf,
}

fn seconds(text: &str) -> Result<f32, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.01..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "it is not a number from 0.01 to 3600".to_owned())
}

fn speed(text: &str) -> Result<f32, String> {
    let speed = text.parse().ok().filter(|speed| (0.01..=8.0).contains(speed));
    speed.ok_or_else(|| "it is not a number from 0.01 to 8".to_owned())
}

impl Sound {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        let done = match &self.command {
            Command::Render(render) => render.write(),
            Command::Report(report) => report.write(),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                say!("loligo: {error}");
                ExitCode::from(if error.is_of_sound() { 1 } else { 2 })
            }
        }
    }
}

impl Played {
    fn play(&self) -> Result<(Subject, Heard), SoundError> {
        let subject = self.input.read()?;
        let playing = Playing {
            settings: &self.settings,
            seconds: self.seconds,
            speed: self.speed,
            rate: self.rate,
            seed: self.seed,
        };
        let heard = playing.play(&subject)?;
        Ok((subject, heard))
    }
}

impl Render {
    fn write(&self) -> Result<(), SoundError> {
        let output =
            Output::prepare(&self.out).map_err(|error| SoundError::other(error.to_string()))?;
        let (subject, heard) = self.played.play()?;
        let bytes = heard.wav(self.float)?;
        output.write(&bytes).map_err(|error| SoundError::other(error.to_string()))?;
        let level = meter::Levels::of(&heard);
        let text = format!(
            "{}: {:.2} s, {} frames a second, parts played: {}; {level}\n",
            subject.name,
            heard.seconds(),
            heard.rate,
            heard.parts
        );
        print(&text).map_err(SoundError::other)
    }
}

impl Report {
    fn write(&self) -> Result<(), SoundError> {
        let output =
            Output::prepare(&self.out).map_err(|error| SoundError::other(error.to_string()))?;
        let (subject, heard) = self.played.play()?;
        let page = page::page(&subject, &heard, &self.played.settings)?;
        output.write(page.as_bytes()).map_err(|error| SoundError::other(error.to_string()))
    }
}
