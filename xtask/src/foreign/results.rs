//! What test programs print.

use std::collections::BTreeSet;

/// The tests of a peer by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Results {
    pub(super) passed: BTreeSet<String>,
    pub(super) failed: BTreeSet<String>,
    /// Tests that were compiled alone, and that the list says cannot be.
    pub(super) built: BTreeSet<String>,
    /// Tests that cannot be compiled.
    pub(super) unbuilt: BTreeSet<String>,
}

impl Results {
    /// Returns how many tests passed.
    pub(super) fn passed(&self) -> usize {
        self.passed.len()
    }

    /// Adds what a program of tests printed, each test as `name` has it.
    ///
    /// # Errors
    ///
    /// If the program did not come to its end.
    pub(super) fn add(&mut self, said: &str, name: &dyn Fn(&str) -> String) -> Result<(), String> {
        if !said.lines().any(|line| line.starts_with("test result: ")) {
            return Err("the program of tests did not come to its end".into());
        }
        for (test, passed) in said.lines().filter_map(result) {
            let to = if passed { &mut self.passed } else { &mut self.failed };
            to.insert(name(test));
        }
        Ok(())
    }
}

/// Reads `test NAME ... ok` and `test NAME ... FAILED`; tests that are ignored are left out.
fn result(line: &str) -> Option<(&str, bool)> {
    let (test, verdict) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let passed = match verdict.split(',').next()? {
        "ok" => true,
        "FAILED" => false,
        _ => return None,
    };
    // What rustdoc and `should_panic` add.
    let ends = [" - should panic", " - compile fail", " - compile"];
    let test = ends.iter().find_map(|end| test.strip_suffix(end)).unwrap_or(test);
    Some((test, passed))
}
