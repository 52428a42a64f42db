//! The crates whose tests are run, and their manifests.

use crate::registry::Crate;

/// A crate of crates.io with its tests.
pub(super) struct Suite {
    pub(super) name: &'static str,
    /// The one version, so that the figures do not change with what others publish.
    pub(super) version: &'static str,
    /// Test programs that are left out, each with the reason.
    pub(super) left_out: &'static [(&'static str, &'static str)],
    /// Tests that are left out, each with the reason.
    pub(super) skipped: &'static [(&'static str, &'static str)],
    /// Dependencies that only those need.
    pub(super) unneeded: &'static [&'static str],
    /// What is asked of `cargo test`: features, or some of the programs alone.
    pub(super) arguments: &'static [&'static str],
}

/// All of them.
pub(super) const SUITES: [Suite; 6] = [
    Suite {
        name: "serde_json",
        version: "1.0.154",
        left_out: &[(
            "compiletest",
            "it compares the compiler's messages, and none of its programs runs",
        )],
        skipped: &[],
        unneeded: &["trybuild"],
        arguments: &[],
    },
    plain("rayon", "1.12.0"),
    plain("rayon-core", "1.13.0"),
    Suite {
        skipped: &[(
            "select2::main",
            "it compares a count that other tests change, and fails at times over any heap",
        )],
        ..plain("crossbeam-channel", "0.5.15")
    },
    Suite {
        left_out: &[("integration", "the package lacks files that this program includes")],
        ..plain("regex", "1.13.1")
    },
    Suite { arguments: TOKIO, ..plain("tokio", "1.54.1") },
];

/// The runtime with several threads, its tasks and what they wait for: the other tests are of input
/// and output.
const TOKIO: &[&str] = &[
    "--features",
    "full,test-util",
    "--test",
    "rt_threaded",
    "--test",
    "rt_common",
    "--test",
    "rt_handle_block_on",
    "--test",
    "task_blocking",
    "--test",
    "task_join_set",
    "--test",
    "sync_mpsc",
    "--test",
    "sync_broadcast",
    "--test",
    "sync_notify",
    "--test",
    "sync_semaphore",
];

/// Returns a crate of which every test is run.
const fn plain(name: &'static str, version: &'static str) -> Suite {
    Suite { name, version, left_out: &[], skipped: &[], unneeded: &[], arguments: &[] }
}

impl Suite {
    /// Returns the manifest of the copy, made of the published one: a workspace of one package,
    /// without the tests that are left out.
    ///
    /// Cargo writes published manifests in one form, a table for each dependency and each test.
    pub(super) fn manifest(&self, published: &str) -> String {
        let mut text = String::new();
        for table in tables(published) {
            let name = table.lines().find_map(|line| line.strip_prefix("name = "));
            let is_left_out = table.starts_with("[[test]]")
                && self.left_out.iter().any(|(test, _)| name == Some(&format!("{test:?}")));
            let is_unneeded = self
                .unneeded
                .iter()
                .any(|crate_name| table.starts_with(&format!("[dev-dependencies.{crate_name}]")));
            if !is_left_out && !is_unneeded {
                text.push_str(&table);
            }
        }
        text.push_str("\n[workspace]\n");
        text
    }
}

/// Returns the crates of all suites.
pub(super) fn crates() -> Vec<Crate> {
    SUITES.iter().map(|suite| (suite.name, suite.version)).collect()
}

/// Cuts a manifest before each line that opens a table.
fn tables(manifest: &str) -> Vec<String> {
    let mut tables = vec![String::new()];
    for line in manifest.lines() {
        if line.starts_with('[') {
            tables.push(String::new());
        }
        if let Some(table) = tables.last_mut() {
            table.push_str(line);
            table.push('\n');
        }
    }
    tables
}
