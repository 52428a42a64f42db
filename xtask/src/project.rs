//! `cargo xtask project`: a project of as many resources as are asked for.

mod picture;
mod random;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use crate::outcome::{Failure, Outcome};

use source::{FOLDER, IMAGES, Kind, Sources};

const USAGE: &str = "\
Writes a project with any number of resources of ten types, which name each other: for measuring how a large
project is compiled. The same numbers give the same bytes on every machine.

Usage: cargo xtask project --resources N [--seed S] DIR

Options:
  --resources N  how many resources, 1 to 10000000
  --seed S       another project of that size; 1 by default

DIR is made, and must not be there.

Example:
  cargo xtask project --resources 100000 target/large
  loligo compile target/large
";

/// The most resources.
const RESOURCES_MAX: u64 = 10_000_000;

/// What the arguments ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    resources: u64,
    seed: u64,
    folder: PathBuf,
}

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Unable`] on bad arguments, or if the folder is there or cannot be written.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if matches!(arguments, [help] if help == "--help" || help == "-h") {
        print!("{USAGE}");
        return Ok(());
    }
    let request = parse(arguments)?;
    let folder = request.folder.display();
    if request.folder.exists() {
        return Err(Failure::Unable(format!("{folder} is there; name a new folder")));
    }
    let counts = write(&request)?;
    let shown: Vec<String> =
        counts.iter().map(|(kind, count)| format!("{count} {}", kind.type_name())).collect();
    println!("{folder}: {} resources: {}", request.resources, shown.join(", "));
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let wrong = |what: &str| Failure::Unable(format!("{what}\n\n{USAGE}"));
    let (mut resources, mut seed, mut folder) = (None, 1, None);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = || rest.next().and_then(|number| number.parse::<u64>().ok());
        match argument.as_str() {
            "--resources" => {
                let number = number().filter(|count| (1..=RESOURCES_MAX).contains(count));
                let what = "--resources takes a number from 1 to 10000000";
                resources = Some(number.ok_or_else(|| wrong(what))?);
            }
            "--seed" => seed = number().ok_or_else(|| wrong("--seed takes a number"))?,
            option if option.starts_with('-') => {
                return Err(wrong(&format!("project has no option `{option}`")));
            }
            path if folder.is_none() => folder = Some(PathBuf::from(path)),
            path => return Err(wrong(&format!("a second folder, `{path}`"))),
        }
    }
    let resources = resources.ok_or_else(|| wrong("say how many, with --resources"))?;
    let folder = folder.ok_or_else(|| wrong("name a folder"))?;
    Ok(Request { resources, seed, folder })
}

/// Writes the project, and returns how many resources of each kind it has.
fn write(request: &Request) -> Result<Vec<(Kind, u64)>, Failure> {
    let sources = Sources::new(request.resources, request.seed);
    let put = |path: &Path, bytes: &[u8]| {
        fs::write(path, bytes)
            .map_err(|error| Failure::io(&format!("cannot write {}", path.display()), &error))
    };
    let make = |path: &Path| {
        fs::create_dir_all(path)
            .map_err(|error| Failure::io(&format!("cannot make {}", path.display()), &error))
    };
    // They end in no type: textures name them, and they are not resources.
    let images = request.folder.join("images");
    make(&images)?;
    for number in 0..IMAGES {
        put(&images.join(format!("{number}.bitmap")), &picture::png(number, request.seed))?;
    }
    let mut counts: Vec<(Kind, u64)> = Kind::ALL.map(|kind| (kind, 0)).into();
    for number in 0..request.resources {
        let folder = request.folder.join(source::folder_of(number));
        if number % FOLDER == 0 {
            make(&folder)?;
        }
        let kind = sources.kind(number);
        let path = request.folder.join(sources.path(number));
        put(&path, sources.text(number).as_bytes())?;
        if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == kind) {
            *count += 1;
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn arguments_are_read() {
        let request = parse(&words("--resources 7 --seed 3 target/p")).expect("they are right");
        assert_eq!(request, Request { resources: 7, seed: 3, folder: "target/p".into() });
        for wrong in ["", "d", "--resources 0 d", "--resources x d", "--resources 5", "-x d"] {
            assert!(parse(&words(wrong)).is_err(), "{wrong}");
        }
        assert!(parse(&words("--resources 5 a b")).is_err(), "two folders");
    }

    #[test]
    fn the_same_numbers_give_the_same_sources_and_names_lead_to_some() {
        let (first, second) = (Sources::new(3_000, 1), Sources::new(3_000, 1));
        let other = Sources::new(3_000, 2);
        let mut kinds = Vec::new();
        let mut differs = 0;
        for number in 0..3_000 {
            assert_eq!(first.text(number), second.text(number), "{number}");
            differs += u32::from(first.text(number) != other.text(number));
            kinds.push(first.kind(number));
        }
        assert!(differs > 1_000, "another seed gives other sources: {differs} of 3000");
        for kind in Kind::ALL {
            assert!(kinds.contains(&kind), "there is a {kind:?}");
        }
        let paths: Vec<String> = (0..3_000).map(|number| first.path(number)).collect();
        let named = (0..3_000).filter_map(|number| first.reference(number, 0, Kind::Mesh));
        for name in named {
            assert!(paths.contains(&format!("{name}.mesh")), "{name}");
        }
    }
}
