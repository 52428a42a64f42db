//! Rule `features-add`: a feature only adds, and what is on by default is `std` at most, with two
//! exceptions.

use crate::tidy::finding::{Finding, line_of, line_of_key};
use crate::tree::Tree;
use crate::workspace::Workspace;

/// How the name of a feature that takes away begins.
const TAKES_AWAY: [&str; 6] = ["no_", "no-", "disable_", "disable-", "without_", "without-"];

/// What else is on by default: a hash map is what nearly every program asks a crate of containers
/// for, and the command runs games. No crate can depend on that one, so it turns on nothing for others.
const BY_DEFAULT: [(&str, &str); 2] = [("loligo-containers", "hashbrown"), ("loligo-cli", "games")];

/// Looks at the features of every member.
pub(crate) fn check(tree: &Tree, workspace: &Workspace, findings: &mut Vec<Finding>) {
    for member in &workspace.members {
        let path = format!("{}/Cargo.toml", member.folder);
        let text = tree.text(&path).unwrap_or_default();
        for (name, parts) in member.features() {
            if TAKES_AWAY.iter().any(|prefix| name.starts_with(prefix)) {
                let what = format!(
                    "`{name}` takes away, and Cargo joins the features of all users: turn it \
                     round into a feature that adds"
                );
                let line = line_of_key(text, &name);
                findings.push(Finding::new("features-add", &path, line, what));
            }
            let is_usual =
                |part: &String| part == "std" || BY_DEFAULT.contains(&(&*member.name, &**part));
            if name == "default" && !parts.iter().all(is_usual) {
                let what = "leave at most \"std\" in `default`; name the rest where it is used";
                let line = line_of(text, "default = [");
                findings.push(Finding::new("features-add", &path, line, what.into()));
            }
        }
    }
}
