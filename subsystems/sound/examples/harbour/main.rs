//! Makes the recordings of the sample `50-harbour`: all of them are computed, so that they belong to nobody.
//!
//! ```sh
//! cargo run --release -p loligo-sound --example harbour -- samples/50-harbour/waves
//! ```

mod music;
mod noise;
mod things;
mod voice;

use core::error::Error;
use std::env;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use loligo_sound::{WavFile, WavSamples};

/// The frames a second of all but what has nothing high in it.
const RATE: u32 = 24_000;

/// The frames a second of the sea and of music.
const LOW_RATE: u32 = 16_000;

/// The peak of each recording: 3 decibels below full scale.
const PEAK: f32 = 0.708;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("name the folder of the waves")?;
    let folder = Path::new(&folder);
    write(folder, "sea", LOW_RATE, noise::sea(LOW_RATE))?;
    write(folder, "rain", RATE, noise::rain(RATE))?;
    write(folder, "engine", RATE, things::engine(RATE))?;
    write(folder, "bell", RATE, things::bell(RATE))?;
    for number in 1..=2 {
        write(folder, &format!("gull{number}"), RATE, things::gull(number, RATE))?;
    }
    write(folder, "hail", RATE, voice::ahoy(RATE))?;
    write(folder, "hail_fr", RATE, voice::ohe(RATE))?;
    for number in 1..=3 {
        write(folder, &format!("wood{number}"), RATE, things::wood(number, RATE))?;
        write(folder, &format!("stone{number}"), RATE, things::stone(number, RATE))?;
        write(folder, &format!("gravel{number}"), RATE, things::gravel(number, RATE))?;
    }
    write(folder, "calm", LOW_RATE, music::calm(LOW_RATE))?;
    write(folder, "lively", LOW_RATE, music::lively(LOW_RATE))
}

/// Writes a recording of one channel, as loud as it may be.
fn write(
    folder: &Path,
    name: &str,
    rate: u32,
    mut samples: Vec<f32>,
) -> Result<(), Box<dyn Error>> {
    let peak = samples.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
    samples.iter_mut().for_each(|sample| *sample *= PEAK / peak);
    let frames: Vec<[f32; 1]> = samples.into_iter().map(|sample| [sample]).collect();
    let writer = BufWriter::new(File::create(folder.join(format!("{name}.wav")))?);
    let mut file = WavFile::<_, 1>::create(writer, rate, WavSamples::Whole16)?;
    file.write(&frames)?;
    Ok(file.finish()?)
}
