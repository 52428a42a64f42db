//! Compiling a game: in a separate process, with limits, so that no compiler ends or holds the
//! game.

use core::time::Duration;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitStatus;

use clap::Args;

/// How many sources may end their compiler before it is given up.
const DEATHS_MAX: usize = 64;

/// What a compile may take.
#[derive(Clone, Debug, Args)]
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
}

/// What came of a compile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compiled {
    pub(super) compiled: u64,
    pub(super) fresh: u64,
    /// How many sources are wrong.
    pub(super) errors: u64,
}

/// How a child ended.
enum Ended {
    Done(Compiled),
    /// It could not do it.
    Failed(String),
    /// It ended, or was ended, while these were being compiled.
    Died(BTreeSet<String>, String),
}

impl Compiling {
    /// Compiles what has changed, and says what is wrong. A source whose compiler dies is an error
    /// of that source; all others are compiled.
    pub(super) fn compile(
        &self,
        project: &Path,
        data: &Path,
        jobs: Option<u32>,
        told: &mut dyn FnMut(&str),
    ) -> Result<Compiled, String> {
        let mut jobs = jobs;
        let mut refused: Vec<(String, String)> = Vec::new();
        loop {
            // The texts of a child that dies are dropped: the next child reports them again.
            let mut texts = Vec::new();
            match self.once(project, data, jobs, &refused, &mut texts)? {
                Ended::Done(compiled) => {
                    texts.iter().for_each(|text| told(text));
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
                        (Some(_), Some(_)) if jobs != Some(1) => jobs = Some(1),
                        _ => return Err(format!("the compiler's process ended: {why}")),
                    }
                }
            }
        }
    }
}

#[cfg(unix)]
impl Compiling {
    fn once(
        &self,
        project: &Path,
        data: &Path,
        jobs: Option<u32>,
        refused: &[(String, String)],
        texts: &mut Vec<String>,
    ) -> Result<Ended, String> {
        use std::io::{BufRead as _, BufReader, ErrorKind};
        use std::os::fd::OwnedFd;
        use std::os::unix::net::UnixStream;
        use std::process::Stdio;

        let cannot =
            |error: std::io::Error| format!("the compiler's process cannot be started: {error}");
        let (ours, theirs) = UnixStream::pair().map_err(cannot)?;
        let mut command = self.command(project, data, jobs, refused)?;
        command.stdin(Stdio::null()).stdout(Stdio::from(OwnedFd::from(theirs)));
        let mut child = command.spawn().map_err(cannot)?;
        // It holds the other end, and the child's is to be the only one.
        drop(command);
        let limit = Duration::from_secs_f64(self.compile_seconds);
        let (mut lines, mut line) = (BufReader::new(ours), String::new());
        let mut begun = BTreeSet::new();
        let mut ended = None;
        let mut why = None;
        loop {
            // Time counts while a source is compiled, and not while the system is slow.
            let patience = (!begun.is_empty()).then_some(limit);
            lines.get_ref().set_read_timeout(patience).map_err(cannot)?;
            match lines.read_line(&mut line) {
                Ok(0) => break,
                Ok(_) if line.ends_with('\n') => {
                    take(&line, &mut begun, texts, &mut ended);
                    line.clear();
                }
                Ok(_) => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    why = Some(format!("compiling it took longer than {} s", self.compile_seconds));
                    break;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // It may have ended by itself.
        let _ = child.kill();
        let status = child.wait().map_err(cannot)?;
        Ok(ended.unwrap_or_else(|| Ended::Died(begun, why.unwrap_or_else(|| death(status)))))
    }

    /// Returns the command of the child: this very program.
    fn command(
        &self,
        project: &Path,
        data: &Path,
        jobs: Option<u32>,
        refused: &[(String, String)],
    ) -> Result<std::process::Command, String> {
        let own = Path::new("/proc/self/exe");
        // The file may have been replaced since this program began; that name stays true.
        let program = if own.exists() {
            own.to_owned()
        } else {
            std::env::current_exe().map_err(|error| format!("this program has no name: {error}"))?
        };
        let mut command = std::process::Command::new(program);
        command.arg("compile").arg(project).arg("--out").arg(data);
        command.args(["--child", &self.compile_mib.to_string()]);
        jobs.iter().for_each(|jobs| _ = command.args(["--jobs", &jobs.to_string()]));
        if self.trial {
            command.arg("--trial");
        }
        for (source, reason) in refused {
            command.arg("--refuse").arg(format!("{source}={reason}"));
        }
        Ok(command)
    }
}

#[cfg(not(unix))]
impl Compiling {
    /// Without sockets that wait for a time it is done in this process.
    fn once(
        &self,
        project: &Path,
        data: &Path,
        jobs: Option<u32>,
        _: &[(String, String)],
        texts: &mut Vec<String>,
    ) -> Result<Ended, String> {
        use core::num::NonZeroUsize;
        use loligo_compiler::{Project, Threads};

        let compilers = crate::content::compilers(self.trial);
        let jobs = jobs.and_then(|jobs| NonZeroUsize::new(jobs as usize));
        let threads = jobs.map_or_else(Threads::default, Threads::new);
        let report = Project::new(project, data, &compilers).compile(&threads);
        let report = report.map_err(|error| error.to_string())?;
        texts.extend(report.errors.iter().map(ToString::to_string));
        let (compiled, fresh) = (report.compiled as u64, report.fresh as u64);
        Ok(Ended::Done(Compiled { compiled, fresh, errors: report.errors.len() as u64 }))
    }
}

/// Handles a line from the child.
fn take(
    line: &str,
    begun: &mut BTreeSet<String>,
    texts: &mut Vec<String>,
    ended: &mut Option<Ended>,
) {
    let Ok(said) = serde_json::from_str::<serde_json::Value>(line) else { return };
    let text = |key: &str| said.get(key).and_then(|text| text.as_str()).map(str::to_owned);
    if let Some(source) = text("begin") {
        begun.insert(source);
    } else if let Some(source) = text("end") {
        begun.remove(&source);
    } else if let Some(error) = text("error") {
        texts.push(error);
    } else if let Some(message) = text("failed") {
        *ended = Some(Ended::Failed(message));
    } else if let Some(compiled) = said.get("compiled").and_then(serde_json::Value::as_u64) {
        let fresh = said.get("fresh").and_then(serde_json::Value::as_u64).unwrap_or(0);
        *ended = Some(Ended::Done(Compiled { compiled, fresh, errors: texts.len() as u64 }));
    }
}

/// Returns why a process ended that had more to say.
fn death(status: ExitStatus) -> String {
    format!(
        "compiling it ended the compiler's process ({status}), by a fault or for want of memory (--compile-mib)"
    )
}
