//! docs/evidence/predictions.md.

use core::fmt::Write as _;

use serde_json::Value;

/// The page.
pub(super) const PATH: &str = "docs/evidence/predictions.md";

/// How far a promise may be off, in points of the program's own.
const POINTS: f64 = 5.0;

/// What takes more than this of the program's own is no reason to change.
const WORTH: f64 = 0.95;

const HEAD: &str = "\
# What replays promise, and what programs do

`cargo xtask predictions --write` records each program, has a strategy advised for it, and runs it under its
own allocator and others in turn (`loligo advise --check`). Promised is what the replay of the recording says of the
whole program; measured are ratios to the program under its own allocator in the same round, with intervals of 95 %.
Off is the largest difference of the two over all allocators, in points. What is advised is better by 5 % and more than
the noise; the number is what is left of processor time or peak memory.

The replay is a program that allocates as was recorded, writes each block, and reads it before it frees it, over the
same libraries as the program. The allocator's part is its share of the program's processor time, page faults and this
use of the blocks included: the program itself is the rest.

| program | task | own CPU s | own peak MiB | allocator's part % | advice | CPU off | memory off |
|---|---|---|---|---|---|---|---|
";

const EACH: &str = "
## Each allocator

| program | allocator | CPU promised | measured | | peak promised | measured | |
|---|---|---|---|---|---|---|---|
";

/// A program, what was promised of it, and what it did.
pub(super) struct Row {
    name: String,
    what: String,
    /// Processor time in seconds and peak memory in bytes under its own allocator.
    own: [f64; 2],
    /// The part of its processor time that the replay takes.
    share: f64,
    tried: Vec<Tried>,
    /// The allocators that are worth a change.
    speed: Option<String>,
    memory: Option<String>,
}

/// An allocator under which it ran: of processor time, then of peak memory.
struct Tried {
    name: String,
    promised: Option<[f64; 2]>,
    measured: [Ratio; 2],
}

#[derive(Clone, Copy)]
struct Ratio {
    ratio: f64,
    from: f64,
    to: f64,
}

impl Row {
    /// Reads the figures of a program.
    pub(super) fn of(name: &str, what: &str, checked: &Value) -> Option<Self> {
        let (ran, promised) = (checked.get("ran")?.as_array()?, checked.get("promised")?);
        let figure = |one: &Value, key: &str, of: &str| one.get(key)?.get(of)?.as_f64();
        let ratio = |one: &Value, key: &str| {
            let (from, to) = (figure(one, key, "from")?, figure(one, key, "to")?);
            Some(Ratio { ratio: figure(one, key, "ratio")?, from, to })
        };
        let promise = |name: &str| {
            let one = promised
                .as_array()?
                .iter()
                .find(|one| one.get("name").is_some_and(|of| of == name))?;
            Some([one.get("cpu")?.as_f64()?, one.get("peak")?.as_f64()?])
        };
        let first = ran.first()?;
        let tried = ran.iter().skip(1).map(|one| {
            let name = one.get("name")?.as_str()?.to_owned();
            let measured = [ratio(one, "cpu")?, ratio(one, "peak")?];
            Some(Tried { promised: promise(&name), name, measured })
        });
        let choice = |what: &str| {
            let at = checked.get("answer")?.get(what)?.as_u64()?;
            let one = ran.get(usize::try_from(at).ok()?).filter(|_| at > 0)?;
            Some(one.get("name")?.as_str()?.to_owned())
        };
        Some(Self {
            name: name.to_owned(),
            what: what.to_owned(),
            own: [figure(first, "cpu", "median")?, figure(first, "peak", "median")?],
            share: checked.get("replay_share")?.as_f64()?,
            tried: tried.collect::<Option<_>>()?,
            speed: choice("speed"),
            memory: choice("memory"),
        })
    }

    /// Returns by how many points the promises are off at most, for processor time or memory.
    fn off(&self, of: usize) -> f64 {
        let off = self
            .tried
            .iter()
            .filter_map(|one| Some(100.0 * (one.promised?[of] - one.measured[of].ratio).abs()));
        off.fold(0.0, f64::max)
    }

    fn advice(&self) -> String {
        let of = |name: &String| self.tried.iter().find(|one| one.name == *name);
        let say = |name: &Option<String>, what: &str, at: usize| {
            let one = of(name.as_ref()?)?;
            Some(format!("{what} `{}` {:.2}", one.name, one.measured[at].ratio))
        };
        let found: Vec<String> = [say(&self.speed, "speed:", 0), say(&self.memory, "memory:", 1)]
            .into_iter()
            .flatten()
            .collect();
        if found.is_empty() { "keep its own".to_owned() } else { found.join(", ") }
    }
}

impl Row {
    /// Says why nothing makes the program faster or leaner; nothing where something does.
    fn why_not(&self) -> Option<String> {
        if self.speed.is_some() || self.memory.is_some() {
            return None;
        }
        let least = |of: usize| {
            let by = |one: &&Tried| one.measured[of].ratio;
            self.tried.iter().min_by(|a, b| by(a).total_cmp(&by(b)))
        };
        let (fast, lean) = (least(0)?, least(1)?);
        let [cpu, peak] = fast.measured;
        let share = 100.0 * self.share;
        let speed = if cpu.ratio > WORTH && share < POINTS {
            format!(
                "the allocator's part is {share:.1} % of its processor time, so there is nothing to gain"
            )
        } else if cpu.ratio > WORTH {
            format!(
                "the allocator's part is {share:.0} %, and its own is good: the fastest, `{}`, takes {:.2} of the \
                 processor time",
                fast.name, cpu.ratio
            )
        } else if cpu.to >= 1.0 {
            format!(
                "`{}` takes {:.2} of the processor time, which is within the noise ({:.2} to {:.2})",
                fast.name, cpu.ratio, cpu.from, cpu.to
            )
        } else {
            format!(
                "`{}` takes {:.2} of the processor time, at the price of {:.2} of the memory",
                fast.name, cpu.ratio, peak.ratio
            )
        };
        let [cpu, peak] = lean.measured;
        let memory = if peak.ratio > WORTH {
            format!("the leanest, `{}`, has {:.2} of the memory", lean.name, peak.ratio)
        } else {
            format!(
                "`{}` has {:.2} of the memory, at the price of {:.2} of the processor time",
                lean.name, peak.ratio, cpu.ratio
            )
        };
        Some(format!("- {}: {speed}; {memory}.", self.name))
    }
}

/// Returns the page.
pub(super) fn text(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {:.3} | {:.1} | {:.1} | {} | {:.1} | {:.1} |",
            row.name,
            row.what,
            row.own[0],
            row.own[1] / f64::from(1 << 20),
            100.0 * row.share,
            row.advice(),
            row.off(0),
            row.off(1)
        );
    }
    let within = |of: usize| rows.iter().filter(|row| row.off(of) <= POINTS).count();
    let better = rows.iter().filter(|row| row.speed.is_some() || row.memory.is_some()).count();
    let _ = write!(
        text,
        "\nPromises of processor time are within {POINTS:.0} points for {} of {} programs, of memory for {}. {better} \
         of {} have\nadvice that makes them faster or leaner.\n",
        within(0),
        rows.len(),
        within(1),
        rows.len()
    );
    let why: Vec<String> = rows.iter().filter_map(Row::why_not).collect();
    if !why.is_empty() {
        let _ = write!(text, "\n## Why the others keep their own\n\n{}\n", why.join("\n"));
    }
    text.push_str(EACH);
    for row in rows {
        for one in &row.tried {
            let promised = |of: usize| {
                one.promised
                    .map_or_else(|| "-".to_owned(), |promised| format!("{:.3}", promised[of]))
            };
            let [cpu, peak] = one.measured;
            let _ = writeln!(
                text,
                "| {} | {} | {} | {:.3} | {:.3}..{:.3} | {} | {:.3} | {:.3}..{:.3} |",
                row.name,
                one.name,
                promised(0),
                cpu.ratio,
                cpu.from,
                cpu.to,
                promised(1),
                peak.ratio,
                peak.from,
                peak.to
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Ratio, Row, Tried, text};

    #[test]
    fn figures_become_lines_and_the_worst_promise_counts() {
        let figure = |ratio: f64, median: f64| json!({"median": median, "ratio": ratio, "from": ratio - 0.01, "to": ratio + 0.01});
        let ran = |name: &str, cpu: f64, peak: f64| json!({"name": name, "cpu": figure(cpu, 0.5), "peak": figure(peak, 2_097_152.0)});
        let checked = json!({
            "ran": [ran("own", 1.0, 1.0), ran("heap", 0.9, 1.02), ran("jemalloc", 0.97, 1.5)],
            "answer": {"speed": 1, "memory": 0},
            "replay_share": 0.25,
            "promised": [{"name": "heap", "cpu": 0.96, "peak": 1.01}],
        });
        let row = Row::of("jq", "objects", &checked).expect("whole figures");
        let page = text(&[row]);
        for line in [
            "| jq | objects | 0.500 | 2.0 | 25.0 | speed: `heap` 0.90 | 6.0 | 1.0 |",
            "within 5 points for 0 of 1 programs, of memory for 1. 1 of 1 have",
            "| jq | heap | 0.960 | 0.900 | 0.890..0.910 | 1.010 | 1.020 | 1.010..1.030 |",
            "| jq | jemalloc | - | 0.970 | 0.960..0.980 | - | 1.500 | 1.490..1.510 |",
        ] {
            assert!(page.contains(line), "no `{line}` in\n{page}");
        }
        assert!(Row::of("jq", "objects", &json!({"ran": []})).is_none());
    }

    #[test]
    fn what_keeps_its_own_says_why() {
        let row = |share: f64, tried: &[(f64, f64, f64)]| {
            let tried = tried.iter().map(|&(cpu, to, peak)| {
                let one = |ratio, to| Ratio { ratio, from: 0.5, to };
                Tried {
                    name: "x".into(),
                    promised: None,
                    measured: [one(cpu, to), one(peak, peak)],
                }
            });
            let (name, what) = ("git".to_owned(), String::new());
            let tried = tried.collect();
            Row { name, what, own: [1.0, 1.0], share, tried, speed: None, memory: None }
        };
        for (row, speed, memory) in [
            (row(0.02, &[(0.99, 1.0, 1.1)]), "2.0 % of its", "the leanest, `x`, has 1.10"),
            (row(0.3, &[(0.98, 1.0, 1.0)]), "30 %, and its own is good", "`x`, has 1.00"),
            (row(0.3, &[(0.9, 1.02, 1.0)]), "noise (0.50 to 1.02)", "`x`, has 1.00"),
            (
                row(0.3, &[(0.8, 0.9, 1.2), (1.2, 1.3, 0.7)]),
                "of 1.20 of the",
                "0.70 of the memory, at",
            ),
        ] {
            let why = row.why_not().expect("nothing is advised");
            assert!(why.contains(speed) && why.contains(memory), "{why}");
        }
        let advised = Row { speed: Some("x".into()), ..row(0.3, &[(0.8, 0.9, 1.0)]) };
        assert_eq!(advised.why_not(), None);
    }
}
