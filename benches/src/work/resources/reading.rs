//! Reading the files of a game: from the disk's cache, so that what is measured is the processor.

use core::hint::black_box;
use std::fs::File;
use std::io::Read as _;

use loligo_resources::{Bundles, ContentHash};

use super::flat_pack::FlatPack;
use super::{Packed, kept_heap, loose, needed, packed};
use crate::clock;
use crate::contender::{Contender, Pass, Race};
use crate::random::Random;

/// How many bytes are read where it is about the first.
const FIRST: usize = 64;

/// How many files of those are read in a pass.
const FILES: usize = 200;

/// Where files are read from.
#[derive(Clone, Copy)]
enum Place {
    /// Our bundle.
    Bundle,
    /// A file each.
    Files,
    /// A file for all, without compression.
    Flat,
}

impl Place {
    const ALL: [Self; 3] = [Self::Bundle, Self::Files, Self::Flat];

    const fn name(self) -> &'static str {
        match self {
            Self::Bundle => "loligo",
            Self::Files => "files",
            Self::Flat => "flat pack",
        }
    }

    /// Opens it, and calls `act` with what reads the first bytes of a file.
    fn open(self, packed: &Packed, act: impl FnOnce(&dyn Fn(ContentHash, &mut [u8]))) {
        match self {
            Self::Bundle => {
                let bundles = needed(Bundles::try_open_in(&packed.shipped, kept_heap()));
                act(&|file, into| needed(bundles.read(file, 0, into)));
            }
            Self::Files => act(&|file, into| {
                let mut open = needed(File::open(loose(&packed.data, file)));
                needed(open.read_exact(into));
            }),
            Self::Flat => {
                let pack = needed(FlatPack::open(&packed.flat));
                act(&|file, into| needed(pack.read(file, into)));
            }
        }
    }
}

/// Makes a race of a contender for each place, the bundle ours.
fn race(contender: impl Fn(Place) -> Contender) -> Race {
    let [ours, files, flat] = Place::ALL.map(contender);
    Race { ours, peers: vec![files, flat], absent: Vec::new() }
}

/// All files whole, in the order of the bundle; an operation is a KiB.
pub(crate) fn throughput() -> Race {
    race(|place| {
        let packed = packed();
        let longest = packed.files.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
        let mut into = vec![0; longest as usize];
        Contender::new(place.name(), move || {
            let (mut ns, mut all) = (0, 0);
            place.open(packed, |read| {
                ns = clock::time(|| {
                    for (file, bytes) in &packed.files {
                        read(*file, &mut into[..*bytes as usize]);
                        all += bytes;
                    }
                });
            });
            black_box(&into);
            Pass { ns, operations: all / 1024 }
        })
    })
}

/// The first bytes of files by chance; an operation is a file.
pub(crate) fn first_bytes() -> Race {
    race(|place| {
        let packed = packed();
        let mut random = Random::new(30);
        let mut some = move || packed.files[random.below(packed.files.len() as u32) as usize];
        Contender::new(place.name(), move || {
            let files: [(ContentHash, u64); FILES] = core::array::from_fn(|_| some());
            let mut ns = 0;
            place.open(packed, |read| {
                let mut into = [0; FIRST];
                ns = clock::time(|| {
                    for (file, bytes) in &files {
                        read(*file, &mut into[..FIRST.min(*bytes as usize)]);
                    }
                });
                black_box(&into);
            });
            Pass { ns, operations: FILES as u64 }
        })
    })
}

/// All of it opened, and the first bytes of one file read; an operation is that.
pub(crate) fn opening() -> Race {
    race(|place| {
        let packed = packed();
        let (file, bytes) = packed.files[packed.files.len() / 2];
        Contender::new(place.name(), move || {
            const TIMES: u64 = 10;
            let ns = clock::time(|| {
                for _ in 0..TIMES {
                    place.open(packed, |read| {
                        let mut into = [0; FIRST];
                        read(file, &mut into[..FIRST.min(bytes as usize)]);
                        black_box(&into);
                    });
                }
            });
            Pass { ns, operations: TIMES }
        })
    })
}
