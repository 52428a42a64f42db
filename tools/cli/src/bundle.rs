//! `loligo bundle`.

use core::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_compiler::{
    BundlingError, DataDifference, DataVariant, GameData, Platform, VariantKey, WrittenBundle,
};
use loligo_resources::{Bundle, Names, TableSource};

use crate::platform::platform;
use crate::print::{print, say};

mod verify;

/// Puts compiled data into bundles and patches, and looks into them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BundleCommand {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  loligo compile game --release --out data    what is to be shipped
  loligo bundle build data -o shipped         as bundles: one for each package, one for the rest
  loligo bundle patch shipped newer           and what has changed since, as a bundle over them
  loligo bundle verify shipped                is every byte as it was written?

Exit status: 0 all went well, 1 a bundle is damaged, or what is compared differs, 2 it could not be done.
docs/guide/compiling.md shows how a game is shipped, docs/reference/bundles.md what is in a bundle.";

const STATUS: &str = "Exit status: 0 all went well, 2 it could not be done.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes compiled data as bundles
    #[command(after_help = format!("Example:\n  loligo bundle build game/.loligo/linux -o shipped\n\n{STATUS}"))]
    Build(Build),
    /// Lists what a game sees through bundles, or what is in one
    #[command(after_help = format!("Examples:
  loligo bundle list shipped --names game/.loligo/linux
  loligo bundle list shipped/patch.0001.bundle\n\n{STATUS}"))]
    List(List),
    /// Reads every block of bundles, and names the resources in those that are damaged
    #[command(after_help = "Example:
  loligo bundle verify shipped

Exit status: 0 all is whole, 1 something is damaged, 2 it could not be done.")]
    Verify(Verify),
    /// Writes what a game sees through bundles as loose files
    #[command(after_help = format!("Example:\n  loligo bundle extract shipped -o loose\n\n{STATUS}"))]
    Extract(Extract),
    /// Lists the resources in which two games' data differ: bundles or compiled folders
    #[command(after_help = "Example:
  loligo bundle diff shipped game/.loligo/linux

Exit status: 0 nothing differs, 1 something does, 2 it could not be done.")]
    Diff(Diff),
    /// Writes a patch that makes of bundles what a compiled folder has
    #[command(after_help = format!("Examples:
  loligo bundle patch shipped game/.loligo/linux
  loligo bundle patch shipped game/.loligo/linux -o patch.0001.bundle\n\n{STATUS}"))]
    Patch(Patch),
}

/// The platform of compiled folders, which do not say it.
#[derive(Debug, Args)]
struct ForPlatform {
    /// For whose machines the data was compiled [default: this machine's]
    #[arg(long, value_name = "PLATFORM", value_parser = platform)]
    platform: Option<Platform>,
}

#[derive(Debug, Args)]
struct Build {
    /// The folder that was compiled into
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// The folder of the bundles
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    platform: ForPlatform,
}

#[derive(Debug, Args)]
struct List {
    /// A folder of bundles, or one bundle
    #[arg(value_name = "BUNDLES")]
    bundles: PathBuf,

    /// A compiled folder whose names are put after the hashes
    #[arg(long, value_name = "DATA")]
    names: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Verify {
    /// A folder of bundles, or one bundle
    #[arg(value_name = "BUNDLES")]
    bundles: PathBuf,

    /// A compiled folder whose names are put after the hashes
    #[arg(long, value_name = "DATA")]
    names: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Extract {
    /// A folder of bundles, or one bundle that is no patch
    #[arg(value_name = "BUNDLES")]
    bundles: PathBuf,

    /// The folder of the files
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct Diff {
    /// A folder of bundles, one bundle that is no patch, or a folder that was compiled into
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The same, of what it is compared with
    #[arg(value_name = "NEW")]
    new: PathBuf,

    #[command(flatten)]
    platform: ForPlatform,
}

#[derive(Debug, Args)]
struct Patch {
    /// The folder of the bundles that players have, with all patches so far
    #[arg(value_name = "BUNDLES")]
    old: PathBuf,

    /// The folder that was compiled into
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// The patch [default: BUNDLES/patch.NUMBER.bundle]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    platform: ForPlatform,
}

impl BundleCommand {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        let pages = PageAllocator::new("bundle pages");
        let heap = HeapAllocator::new_in("bundles", &pages);
        let done = match &self.command {
            Command::Build(build) => build.run(&heap),
            Command::List(list) => list.run(&heap),
            Command::Verify(verify) => {
                verify::verify(&verify.bundles, verify.names.as_deref(), &heap)
            }
            Command::Extract(extract) => extract.run(&heap),
            Command::Diff(diff) => diff.run(&heap),
            Command::Patch(patch) => patch.run(&heap),
        };
        match done {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }
}

impl ForPlatform {
    fn open<'h>(
        &self,
        path: &Path,
        memory: &'h (dyn Allocator + 'h),
    ) -> Result<GameData<'h>, String> {
        let platform = self.platform.unwrap_or_else(Platform::here);
        GameData::open(path, platform, memory).map_err(said)
    }
}

impl Build {
    fn run(&self, memory: &dyn Allocator) -> Result<bool, String> {
        let data = self.platform.open(&self.data, memory)?;
        if data.bundles().is_some() {
            return Err(format!(
                "{}: it is of bundles already; name the folder that was compiled into",
                self.data.display()
            ));
        }
        let written = data.build(&self.out, memory).map_err(said)?;
        print(&written.iter().map(line).collect::<String>())?;
        Ok(true)
    }
}

impl List {
    fn run(&self, memory: &dyn Allocator) -> Result<bool, String> {
        let mut text = String::new();
        let mut add = |variant: TableSource<'_>, from: &dyn core::fmt::Display| {
            let key = (variant.key, variant.properties.to_vec());
            let what = match variant.bytes {
                0 => "removed".to_owned(),
                bytes => bytes.to_string(),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{what:>12}  {from}  {}", shown(&key));
        };
        if self.bundles.is_file() {
            let bundle = verify::open(&self.bundles, memory).map_err(|error| error.to_string())?;
            for entry in bundle.variants().entries() {
                let properties = bundle.variants().properties(entry);
                let (key, file, bytes) = (entry.key, entry.file, entry.bytes);
                add(TableSource { key, properties, file, bytes }, &bundle.name());
            }
        } else {
            let data = GameData::open(&self.bundles, Platform::here(), memory).map_err(said)?;
            let Some(bundles) = data.bundles() else {
                return Err(said(BundlingError::Nothing(self.bundles.clone())));
            };
            for variant in bundles.variants() {
                let has = |of: &&Bundle<'_, _>| of.bytes_of(variant.file).is_some();
                let from = bundles.bundles().iter().rev().find(has);
                add(variant, &from.map(Bundle::name).unwrap_or_default());
            }
        }
        print(&with_names(self.names.as_deref(), &text, memory))?;
        Ok(true)
    }
}

impl Extract {
    fn run(&self, memory: &dyn Allocator) -> Result<bool, String> {
        let data = GameData::open(&self.bundles, Platform::here(), memory).map_err(said)?;
        let count = data.extract(&self.out, memory).map_err(said)?;
        print(&format!("{count} files: {}\n", self.out.display()))?;
        Ok(true)
    }
}

impl Diff {
    fn run(&self, memory: &dyn Allocator) -> Result<bool, String> {
        let old = self.platform.open(&self.old, memory)?;
        let new = self.platform.open(&self.new, memory)?;
        let differences = old.differences(&new);
        let mut text = String::new();
        for DataDifference { key, old, new } in &differences {
            let bytes = |of: &Option<DataVariant>| of.as_ref().map_or(0, |of| of.bytes);
            let what = match (old, new) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "changed",
            };
            let name = [old, new].into_iter().flatten().find_map(|of| of.name.as_ref());
            let name = name.map_or_else(|| shown(key), ToString::to_string);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{what:>7}  {} -> {}  {name}", bytes(old), bytes(new));
        }
        print(&text)?;
        Ok(differences.is_empty())
    }
}

impl Patch {
    fn run(&self, memory: &dyn Allocator) -> Result<bool, String> {
        let old = self.platform.open(&self.old, memory)?;
        let new = self.platform.open(&self.data, memory)?;
        let number = old.bundles().map_or(0, |bundles| bundles.next_layer());
        let usual = || self.old.join(format!("patch.{number:04}.bundle"));
        let out = self.out.clone().unwrap_or_else(usual);
        let name = out.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !name.ends_with(".bundle") || name.starts_with('.') {
            return Err(format!("{}: the name of a bundle ends in `.bundle`", out.display()));
        }
        let folder = out.parent().unwrap_or(Path::new("."));
        let written = new.patch(&old, (folder, name), memory).map_err(said)?;
        print(&line(&written))?;
        Ok(true)
    }
}

fn said(error: BundlingError) -> String {
    error.to_string()
}

/// Returns text, with names after the hashes in it that a compiled folder has names for.
fn with_names(data: Option<&Path>, text: &str, memory: &dyn Allocator) -> String {
    match data {
        Some(data) => Names::read(data, memory).show(&text).to_string(),
        None => text.to_owned(),
    }
}

/// Returns the hashes of a variant as text.
fn shown((key, properties): &VariantKey) -> String {
    let mut text = key.to_string();
    for property in properties {
        // Writing to a string cannot fail.
        let _ = write!(text, ".#{property}");
    }
    text
}

/// Says what was written.
fn line(written: &WrittenBundle) -> String {
    let WrittenBundle { name, variants, files: (files, bytes), header } = written;
    format!(
        "{name}: {variants} variants of resources, {files} files of {bytes} bytes in {}\n",
        header.bytes
    )
}
