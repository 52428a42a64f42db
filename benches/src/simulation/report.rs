//! The table of the simulation.

use core::fmt::Write as _;

use clap::Args;

use crate::simulation::machine::{CORES_MAX, Costs};
use crate::simulation::pattern::{Pattern, Rules, Tally, simulate};
use crate::simulation::schemes::SchemeName;

/// What is simulated, from the command line.
#[derive(Clone, Debug, Args)]
pub(crate) struct Simulation {
    /// Patterns of calls; both without any
    #[arg(value_name = "PATTERN")]
    patterns: Vec<Pattern>,
    /// Schemes, separated by commas; all without any
    #[arg(long, value_name = "SCHEME", value_delimiter = ',')]
    schemes: Vec<SchemeName>,
    /// Numbers of cores, separated by commas
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,2,4,8,16,32,64")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(CORES_MAX)))]
    cores: Vec<u32>,
    /// Cores of a socket
    #[arg(long, value_name = "N", default_value_t = Costs::default().socket_cores)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(CORES_MAX)))]
    socket_cores: u32,
    /// A transfer between cores of a socket
    #[arg(long, value_name = "NS", default_value_t = Costs::default().within_ns, value_parser = ns())]
    within_ns: u64,
    /// A transfer between sockets
    #[arg(long, value_name = "NS", default_value_t = Costs::default().across_ns, value_parser = ns())]
    across_ns: u64,
    /// An access to a line that the core has
    #[arg(long, value_name = "NS", default_value_t = Costs::default().hit_ns, value_parser = ns())]
    hit_ns: u64,
    /// What an atomic operation costs in addition
    #[arg(long, value_name = "NS", default_value_t = Costs::default().atomic_ns)]
    #[arg(value_parser = ns())]
    atomic_ns: u64,
    /// Threads write a block of another thread before they free it
    #[arg(long)]
    touch: bool,
    /// Multiplies the work of a core; with less than 4 many blocks are never taken back
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    times: u32,
}

/// The columns.
const HEADS: [&str; 6] =
    ["pattern", "cores", "scheme", "ns a foreign free", "transfers a foreign free", "ns a call"];

impl Simulation {
    /// Simulates everything and passes on each line of the table as soon as it is known.
    pub(crate) fn print(&self, line: &mut dyn FnMut(&str)) {
        let costs = self.costs();
        let Costs { hit_ns, atomic_ns, within_ns, across_ns, socket_cores } = costs;
        line(&format!(
            "virtual time: hit {hit_ns} ns, atomic operation {atomic_ns} ns more, transfer \
             {within_ns} ns within a socket of {socket_cores} cores, {across_ns} ns across"
        ));
        line(&format!("\n{}\n{}|", row(HEADS), "|---".repeat(HEADS.len())));
        for &pattern in or_all(&self.patterns, &Pattern::ALL) {
            for &cores in &self.cores {
                for &scheme in or_all(&self.schemes, &SchemeName::ALL) {
                    let (touch, times) = (self.touch, self.times);
                    let rules = Rules { pattern, scheme, cores, costs, touch, times };
                    line(&row_of(&rules, &simulate(rules)));
                }
            }
        }
    }

    fn costs(&self) -> Costs {
        let &Self { hit_ns, atomic_ns, within_ns, across_ns, socket_cores, .. } = self;
        Costs { hit_ns, atomic_ns, within_ns, across_ns, socket_cores }
    }
}

/// Returns the row of a simulation.
pub(super) fn row_of(rules: &Rules, tally: &Tally) -> String {
    let a_free = |count: u64| count as f64 / tally.foreign_frees as f64;
    let all_ns = tally.hand_over.ns + tally.own.ns;
    row([
        rules.pattern.name(),
        &rules.cores.to_string(),
        rules.scheme.name(),
        &format!("{:.1}", a_free(tally.hand_over.ns)),
        &format!("{:.2}", a_free(tally.hand_over.transfers)),
        &format!("{:.1}", all_ns as f64 / tally.calls as f64),
    ])
}

/// Returns what was chosen, or all without a choice.
fn or_all<'a, T>(chosen: &'a [T], all: &'a [T]) -> &'a [T] {
    if chosen.is_empty() { all } else { chosen }
}

fn row<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let mut row = String::from("|");
    for cell in cells {
        // Writing to a string does not fail.
        let _ = write!(row, " {cell} |");
    }
    row
}

fn ns() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(0..=1_000_000)
}
