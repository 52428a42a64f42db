//! A command as a figure states it, in words.

use std::process::Command;

use crate::command;
use crate::workspace;

/// Makes the command of its words.
pub(super) fn command(words: &[String]) -> Option<Command> {
    let is_setting = |word: &&String| word.contains('=') && !word.starts_with('-');
    let settings = words.iter().take_while(is_setting).count();
    let (settings, words) = words.split_at(settings);
    let (program, arguments) = words.split_first()?;
    let mut command = match (program.as_str(), arguments) {
        // This very program, which is built.
        ("cargo", [xtask, rest @ ..]) if xtask == "xtask" => {
            let mut command = Command::new(std::env::current_exe().ok()?);
            command.args(rest).current_dir(workspace::root());
            command
        }
        _ => {
            let mut command = command::cargo(&workspace::root());
            command.args(arguments);
            command
        }
    };
    for setting in settings {
        let (name, value) = setting.split_once('=')?;
        command.env(name, value);
    }
    Some(command)
}
