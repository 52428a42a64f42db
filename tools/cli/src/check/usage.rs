//! How a program runs under what it was found to run best under.

use core::fmt::Write as _;

use loligo_replay::check::{Answer, Candidate, Checked};

/// Says how to use each allocator that is advised: the line for the shell that preloads its library,
/// or what makes it the allocator of a Rust program. `strategies` is the file that was named.
pub(super) fn usage(checked: &Checked, all: &[Candidate], strategies: Option<&str>) -> String {
    let Answer { speed, memory } = checked.answer;
    let mut advised = vec![speed, memory];
    advised.dedup();
    let mut text = String::new();
    for ran in advised.into_iter().filter(|&at| at != 0).filter_map(|at| checked.ran.get(at)) {
        let Some(candidate) = all.iter().find(|one| one.name == ran.name) else { continue };
        let name = &candidate.name;
        // Writing to a string cannot fail.
        let _ = match (&candidate.library, &candidate.program) {
            (Some(library), _) => {
                let library = library.canonicalize().unwrap_or_else(|_| library.clone());
                let library = quoted(&library.display().to_string());
                let has_allocator = all.iter().any(|one| one.name == "system");
                let program = if has_allocator { "PROGRAM_WITHOUT_ITS_OWN" } else { "PROGRAM" };
                let command = checked.command.replace("{}", program);
                writeln!(text, "\nTo run it under `{name}`: LD_PRELOAD={library} {command}")
            }
            (None, Some(_)) if ["heap", "locked-heap"].contains(&&**name) => {
                writeln!(
                    text,
                    "\nTo build `{name}` in: docs/guide/global-allocator.md has its lines"
                )
            }
            (None, Some(_)) if name == "system" => {
                writeln!(text, "\nFor `{name}`: take the program's #[global_allocator] out")
            }
            (None, Some(_)) => {
                let file = quoted(strategies.unwrap_or("STRATEGIES"));
                writeln!(
                    text,
                    "\nTo build `{name}` in: loligo strategy {file} --name {name} --emit rust --global > \
                     src/allocator.rs\n(docs/guide/global-allocator.md)"
                )
            }
            (None, None) => Ok(()),
        };
    }
    text
}

/// Returns a text as one word for the shell.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._+-".contains(letter);
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
