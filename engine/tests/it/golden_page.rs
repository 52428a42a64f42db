//! Pictures that are kept, and how far a drawn one is from them.
//!
//! The measure: the picture is cut into tiles of 8 by 8 pixels, and of each the mean difference of
//! all numbers from 0 to 255 is taken. The worst tile counts. Two versions of the driver differ at
//! edges, by a pixel here and there; a fault changes an area.

use std::fs::File;
use std::path::{Path, PathBuf};

use loligo_engine::{BackEndChoice, EngineOptions, with_engine};

use crate::support::Game;

/// The side of a tile, in pixels.
const TILE: usize = 8;

/// The most that the worst tile may differ by, and the least that a fault makes of it.
const LIMIT: f64 = 4.0;
const FAULT: f64 = 8.0;

/// What a fault is of, in which file, and what becomes of which text.
pub(crate) type Fault = (&'static str, &'static str, &'static str, &'static str);

/// A picture that is kept.
pub(crate) struct Page {
    /// Its file, in the folder of the tests.
    pub(crate) kept: &'static str,
    pub(crate) size: [usize; 2],
    /// Which frame is drawn.
    pub(crate) frames: u32,
    pub(crate) faults: &'static [Fault],
    /// Writes the project.
    pub(crate) project: fn() -> Game,
    /// The sources of the project that are text: path, text.
    pub(crate) sources: fn() -> Vec<(String, String)>,
}

impl Page {
    /// Compares the picture with the one that is kept. `LOLIGO_WRITE=1` writes it.
    pub(crate) fn check(&self) {
        let Some(drawn) = self.picture(&(self.project)()) else {
            return println!("skipped: the driver that computes is not there");
        };
        let size = self.size.map(|side| side as u32);
        if std::env::var_os("LOLIGO_WRITE").is_some() {
            write(&self.path(), size, &drawn);
        }
        let far = self.difference(&drawn, &self.read());
        if far > LIMIT {
            let path = std::env::temp_dir().join("loligo-golden.png");
            write(&path, size, &drawn);
            panic!(
                "the worst tile differs by {far:.1}, and {LIMIT} are allowed: {}",
                path.display()
            );
        }
        println!("the worst tile differs by {far:.2}");
    }

    /// Plants each fault, which the measure must find.
    pub(crate) fn check_faults(&self) {
        let (wanted, game, sources) = (self.read(), (self.project)(), (self.sources)());
        let mut missed = Vec::new();
        for (what, file, old, new) in self.faults {
            let found = sources.iter().find(|(name, _)| name == file);
            let (_, text) = found.expect("there is such a source");
            assert!(text.contains(old), "{what}: {old}");
            game.write(file, &text.replace(old, new));
            let Some(drawn) = self.picture(&game) else {
                return println!("skipped: the driver that computes is not there");
            };
            game.write(file, text);
            let far = self.difference(&drawn, &wanted);
            println!("{what}: {far:.1}");
            if far < FAULT {
                missed.push(format!("{what}: {far:.1}"));
            }
        }
        assert_eq!(missed, [""; 0], "faults that the measure does not find");
    }

    /// Draws the project; `None` where there is no driver that computes, whose picture is kept.
    fn picture(&self, game: &Game) -> Option<Vec<u8>> {
        assert_eq!(game.compile(), [""; 0], "it is right");
        let data = game.data();
        let options = EngineOptions { back_end: BackEndChoice::Auto, ..game.options(&data) };
        let picture = with_engine(&options, |engine| {
            for _ in 0..self.frames {
                engine.want_picture();
                engine.frame(&mut ()).expect("a frame");
            }
            engine.finish().expect("it is drawn");
            engine.picture().to_vec()
        });
        let picture = picture.expect("it boots");
        let is_kept = game.log.all().iter().any(|line| line.contains("a driver that computes"));
        (is_kept && picture.len() == self.size[0] * self.size[1] * 4).then_some(picture)
    }

    /// Returns the mean difference of the worst tile.
    fn difference(&self, one: &[u8], other: &[u8]) -> f64 {
        let [wide, high] = self.size;
        let tile = |number: usize| {
            let (column, row) = (number % (wide / TILE), number / (wide / TILE));
            let rows = (row * TILE..(row + 1) * TILE).map(|row| (row * wide + column * TILE) * 4);
            let sum = rows.map(|start| {
                let pair = one[start..][..TILE * 4].iter().zip(&other[start..][..TILE * 4]);
                pair.map(|(one, other)| f64::from(one.abs_diff(*other))).sum::<f64>()
            });
            // Opacity is always the same.
            sum.sum::<f64>() / (TILE * TILE * 3) as f64
        };
        (0..wide / TILE * (high / TILE)).map(tile).fold(0.0, f64::max)
    }

    fn path(&self) -> PathBuf {
        folder().join(self.kept)
    }

    fn read(&self) -> Vec<u8> {
        let file = std::io::BufReader::new(File::open(self.path()).expect("it is kept"));
        let mut reader = png::Decoder::new(file).read_info().expect("it is one");
        let mut pixels = vec![0; self.size[0] * self.size[1] * 4];
        reader.next_frame(&mut pixels).expect("it is whole");
        pixels
    }
}

/// Returns the folder of the tests.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")
}

/// Writes a picture.
pub(crate) fn write(path: &Path, size: [u32; 2], pixels: &[u8]) {
    let file = File::create(path).expect("it may be made");
    let mut encoder = png::Encoder::new(file, size[0], size[1]);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().expect("it is written");
    writer.write_image_data(pixels).expect("it is written");
}
