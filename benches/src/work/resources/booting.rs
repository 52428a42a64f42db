//! The courtyard from its bundle and from loose files, until its first frame is drawn as text.

use std::path::Path;
use std::time::Instant;

use loligo_engine::{BackEndChoice, EngineOptions, with_engine};

use super::packed;
use crate::contender::{Contender, Pass, Race};

/// Boots from the bundle, next to files.
pub(crate) fn booting() -> Race {
    let packed = packed();
    let ours = boot("loligo", &packed.shipped);
    Race { ours, peers: vec![boot("files", &packed.data)], absent: Vec::new() }
}

fn boot(name: &'static str, data: &'static Path) -> Contender {
    Contender::new(name, move || {
        let began = Instant::now();
        let options = EngineOptions { back_end: BackEndChoice::Text, ..EngineOptions::new(data) };
        let run = with_engine(&options, |engine| {
            engine.frame(&mut ())?;
            engine.finish()?;
            Ok::<_, loligo_engine::EngineError>(began.elapsed())
        });
        match run {
            Ok(Ok(took)) => Pass { ns: took.as_nanos() as u64, operations: 1 },
            Ok(Err(error)) | Err(error) => unreachable!("the sample runs: {error}"),
        }
    })
}
