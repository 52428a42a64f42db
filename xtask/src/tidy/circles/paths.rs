//! The paths in the code of a module that begin at the crate's root or at a module above.

use std::collections::BTreeMap;

use crate::tidy::circles::modules::{Module, end_of_name};
use crate::tidy::code::words;

/// A path in the code, from the root of the crate.
pub(super) struct Found {
    /// Its steps, `["tasks", "Tasks"]`.
    pub(super) steps: Vec<String>,
    /// Where its last step is.
    pub(super) at: usize,
}

/// Returns all paths of a module that begin with `crate` or `super`, each as often as it is there.
pub(super) fn paths(module: &Module<'_>) -> Vec<Found> {
    let code = module.code.as_str();
    let mut found = Vec::new();
    for at in words(code, "crate").into_iter().chain(words(code, "super")) {
        let before = code[..at].trim_end();
        // A visibility, `pub(in crate::a)`; what a macro expands to elsewhere; or not the beginning of
        // the path.
        if before.ends_with("(in") || before.ends_with('$') || before.ends_with("::") {
            continue;
        }
        for Leaf { mut steps, at, .. } in leaves(code, at) {
            if steps.len() < 2 {
                continue;
            }
            let mut base = module.path.clone();
            base.extend(vec![String::new(); inline_depth(code, at)]);
            if steps[0] == "crate" {
                base.clear();
                steps.remove(0);
            }
            while steps.first().is_some_and(|step| step == "super") {
                base.pop();
                steps.remove(0);
            }
            base.append(&mut steps);
            found.push(Found { steps: base, at });
        }
    }
    found
}

/// Returns the names that a module re-exports from those that it declares, each with the name of
/// the module that has it: the first, where a macro has the name of a type. A glob is not
/// followed.
pub(super) fn re_exports<'m>(module: &'m Module<'_>) -> BTreeMap<String, &'m str> {
    let mut names = BTreeMap::new();
    for at in words(&module.code, "use") {
        for leaf in leaves(&module.code, at + 3) {
            let mut steps = leaf.steps.as_slice();
            if let Some(("self", rest)) = split_first(steps) {
                steps = rest;
            } else if let Some(("crate", rest)) = split_first(steps) {
                let Some(rest) = rest.strip_prefix(module.path.as_slice()) else { continue };
                steps = rest;
            }
            let [child, .., last] = steps else { continue };
            let last = if last == "self" { &steps[steps.len() - 2] } else { last };
            if let Some(child) = module.children.iter().find(|known| known.name == *child) {
                let name = leaf.alias.as_ref().unwrap_or(last);
                names.entry(name.clone()).or_insert(child.name.as_str());
            }
        }
    }
    names
}

fn split_first(steps: &[String]) -> Option<(&str, &[String])> {
    steps.split_first().map(|(first, rest)| (first.as_str(), rest))
}

/// One path of a tree of paths, `a::b` and `a::c` of `a::{b, c as d}`.
struct Leaf {
    steps: Vec<String>,
    /// Where its last step is.
    at: usize,
    /// The name after `as`.
    alias: Option<String>,
}

/// Returns the paths of the tree of paths that begins at `at`.
fn leaves(code: &str, at: usize) -> Vec<Leaf> {
    let mut found = Vec::new();
    let mut reader = Reader { code, at };
    reader.tree(&mut Vec::new(), &mut found);
    found
}

struct Reader<'c> {
    code: &'c str,
    at: usize,
}

impl Reader<'_> {
    /// Reads a path or a list of paths, of which all have the steps `before`.
    fn tree(&mut self, before: &mut Vec<String>, found: &mut Vec<Leaf>) {
        let depth = before.len();
        loop {
            if self.takes("{") {
                while !self.takes("}") && self.at < self.code.len() {
                    let start = self.at;
                    self.tree(before, found);
                    self.takes(",");
                    if self.at == start {
                        break;
                    }
                }
                break;
            }
            self.takes("r#");
            let at = self.at;
            let name = self.name();
            if name.is_empty() {
                break;
            }
            before.push(name);
            if !self.takes("::") || self.rest().starts_with('<') {
                let alias = self.alias();
                found.push(Leaf { steps: before.clone(), at, alias });
                break;
            }
        }
        before.truncate(depth);
    }

    /// Reads a name, or the star of a glob.
    fn name(&mut self) -> String {
        let length = if self.rest().starts_with('*') { 1 } else { end_of_name(self.rest()) };
        let name = self.rest()[..length].to_owned();
        self.at += length;
        self.skip_space();
        name
    }

    fn alias(&mut self) -> Option<String> {
        if end_of_name(self.rest()) != 2 || !self.takes("as") {
            return None;
        }
        Some(self.name())
    }

    /// Passes over `sign` if it is next, and the space around.
    fn takes(&mut self, sign: &str) -> bool {
        self.skip_space();
        let is_next = self.rest().starts_with(sign);
        if is_next {
            self.at += sign.len();
            self.skip_space();
        }
        is_next
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &str {
        &self.code[self.at..]
    }
}

/// Returns in how many modules without a file the place `at` is: each `super` there leads out of
/// one of them first.
fn inline_depth(code: &str, at: usize) -> usize {
    let opened = words(&code[..at], "mod").into_iter().filter_map(|module| {
        let rest = code[module + 3..at].trim_start();
        let body = rest[end_of_name(rest)..].trim_start().strip_prefix('{')?;
        Some(at - body.len())
    });
    let is_open = |body: &usize| {
        let mut depth = 1;
        code[*body..at].chars().all(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth > 0
        })
    };
    opened.filter(is_open).count()
}
