//! Compiling a game: in a separate process, with limits, so that no compiler ends or holds the
//! game.

use core::num::NonZeroUsize;
use core::time::Duration;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use clap::Args;

use super::compiled::{Compiled, Ended, Heard};
#[cfg(unix)]
use super::compiler_process::CompilerProcess;

/// The process of the last compile, where it is kept for the next.
#[cfg(unix)]
type Kept = Option<CompilerProcess>;
#[cfg(not(unix))]
type Kept = ();

/// How many sources may end their compiler before it is given up.
const DEATHS_MAX: usize = 64;

/// What a compile may take.
#[derive(Debug, Args)]
pub(super) struct Compiling {
    /// The seconds that a source may take to compile, before it is an error
    #[arg(long, value_name = "S", default_value_t = 30.0, value_parser = super::seconds)]
    compile_seconds: f64,

    /// The memory that compilers may have, in MiB
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(64..))]
    compile_mib: u64,

    /// Take sources of the type `trial` in, whose compiler fails
    #[arg(long, hide = true)]
    trial: bool,

    /// The thread that compiles holds it, so that the other waits.
    #[arg(skip)]
    kept: Mutex<Kept>,
}

/// How a project is compiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<'o> {
    pub(super) project: &'o Path,
    pub(super) data: &'o Path,
    /// How many sources at a time; as many as the machine has processors.
    pub(super) jobs: Option<NonZeroUsize>,
    /// Whether it is compiled again soon: then the process stays, and remembers.
    pub(super) stays: bool,
    /// The files that have changed since the last compile, where that is known.
    pub(super) changed: Option<&'o BTreeSet<String>>,
}

/// Who hears of a compile.
pub(super) struct Listener<'l> {
    /// Of what is wrong.
    pub(super) error: &'l mut dyn FnMut(&str),
    /// Of new data, which may be loaded.
    pub(super) written: &'l mut dyn FnMut(),
}

impl Compiling {
    /// Compiles what has changed, and says what is wrong. A source whose compiler dies is an error
    /// of that source; all others are compiled.
    pub(super) fn compile(
        &self,
        order: Order<'_>,
        listener: &mut Listener<'_>,
    ) -> Result<Compiled, String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut order = order;
        let mut refused: Vec<(String, String)> = Vec::new();
        loop {
            // The texts of a child that dies are dropped: the next child reports them again.
            let mut texts = Vec::new();
            let heard = &mut Heard { texts: &mut texts, written: listener.written };
            match self.once(&mut kept, order, &refused, heard)? {
                Ended::Done(compiled) => {
                    texts.iter().for_each(|text| (listener.error)(text));
                    return Ok(compiled);
                }
                Ended::Failed(message) => return Err(message),
                Ended::Died(sources, why) => {
                    let mut sources = sources.into_iter();
                    match (sources.next(), sources.next()) {
                        (Some(source), None) if refused.len() < DEATHS_MAX => {
                            refused.push((source, why));
                        }
                        // One of several; alone it is known which.
                        (Some(_), Some(_)) if order.jobs != Some(NonZeroUsize::MIN) => {
                            order.jobs = Some(NonZeroUsize::MIN);
                        }
                        _ => return Err(format!("the compiler's process ended: {why}")),
                    }
                }
            }
        }
    }

    /// Compiles in a process: the one that was kept, or a new one.
    #[cfg(unix)]
    fn once(
        &self,
        kept: &mut Kept,
        order: Order<'_>,
        refused: &[(String, String)],
        heard: &mut Heard<'_>,
    ) -> Result<Ended, String> {
        let limit = Duration::from_secs_f64(self.compile_seconds);
        // What was refused is tried again in the next compile, by another process.
        let known = kept.take().filter(|_| refused.is_empty());
        if let Some(mut process) = known
            && process.ask_again(order.jobs, order.changed).is_ok()
        {
            match process.hear_end(limit, heard)? {
                // It ended before it began, for whatever reason: a new one does it.
                Ended::Died(begun, _) if begun.is_empty() => {}
                Ended::Done(compiled) => {
                    *kept = Some(process);
                    return Ok(Ended::Done(compiled));
                }
                ended => return Ok(ended),
            }
        }
        let mut process = CompilerProcess::new(self.command(order, refused)?)?;
        let ended = process.hear_end(limit, heard)?;
        if order.stays && refused.is_empty() && matches!(ended, Ended::Done(_)) {
            *kept = Some(process);
        }
        Ok(ended)
    }

    /// Without sockets that wait for a time it is done in this process.
    #[cfg(not(unix))]
    fn once(
        &self,
        _: &mut Kept,
        order: Order<'_>,
        _: &[(String, String)],
        heard: &mut Heard<'_>,
    ) -> Result<Ended, String> {
        use loligo_compiler::{Project, Threads};

        let compilers = crate::content::compilers(self.trial);
        let threads = order.jobs.map_or_else(Threads::default, Threads::new);
        let report = Project::new(order.project, order.data, &compilers).compile(&threads);
        let report = report.map_err(|error| error.to_string())?;
        (heard.written)();
        heard.texts.extend(report.errors.iter().map(ToString::to_string));
        let (compiled, fresh) = (report.compiled as u64, report.fresh as u64);
        let (errors, seen) = (report.errors.len() as u64, Some(report.seen));
        Ok(Ended::Done(Compiled { compiled, fresh, errors, seen }))
    }

    /// Returns the command of the child: this very program.
    #[cfg(unix)]
    fn command(&self, order: Order<'_>, refused: &[(String, String)]) -> Result<Command, String> {
        let own = Path::new("/proc/self/exe");
        // The file may have been replaced since this program began; that name stays true.
        let program = if own.exists() {
            own.to_owned()
        } else {
            std::env::current_exe().map_err(|error| format!("this program has no name: {error}"))?
        };
        let mut command = Command::new(program);
        command.arg("compile").arg(order.project).arg("--out").arg(order.data);
        command.args(["--child", &self.compile_mib.to_string()]);
        order.jobs.iter().for_each(|jobs| _ = command.args(["--jobs", &jobs.to_string()]));
        for (flag, is_set) in [("--trial", self.trial), ("--stays", order.stays)] {
            if is_set {
                command.arg(flag);
            }
        }
        for (source, reason) in refused {
            command.arg("--refuse").arg(format!("{source}={reason}"));
        }
        Ok(command)
    }
}
