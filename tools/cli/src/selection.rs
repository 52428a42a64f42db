//! Which strategies and peers run: what the lists on the command line mean.

use std::path::Path;

use loligo_replay::rows::{self, Row};
use loligo_replay::strategies::{self, StrategyConfig};
use loligo_replay::threads::{self, SharedRow};

use crate::text_file::read_text;

/// Peers that the feature `peers-all` brings.
const PEERS_OF_FEATURE: [&str; 2] = ["jemalloc", "snmalloc"];

/// Returns the strategies that a list chooses: names of built-in ones, files, or `none`. Files add
/// to the built-in ones unless a name chooses among these.
///
/// # Errors
///
/// What is wrong with the list, in words.
pub(crate) fn choose_strategies(list: Option<&str>) -> Result<Vec<StrategyConfig>, String> {
    let built_in = strategies::built_in();
    let mut from_files = Vec::new();
    let mut named = Vec::new();
    let mut names_given = false;
    for item in list.unwrap_or("").split(',').filter(|item| !item.is_empty()) {
        if is_file(item) {
            from_files.extend(strategies_of(item)?);
            continue;
        }
        names_given = true;
        if item == "none" {
            continue;
        }
        let Some(strategy) = built_in.iter().find(|strategy| strategy.name == item) else {
            let known: Vec<&str> = built_in.iter().map(|strategy| &*strategy.name).collect();
            return Err(format!(
                "unknown strategy `{item}`; known are {}, none, and files that end in .json or .sjson",
                known.join(", ")
            ));
        };
        if !named.contains(strategy) {
            named.push(strategy.clone());
        }
    }
    let mut chosen = if names_given { named } else { built_in };
    chosen.extend(from_files);
    Ok(chosen)
}

/// Returns the strategies of a file, or the built-in one of a name.
///
/// # Errors
///
/// What is wrong with the file or the name, in words.
pub(crate) fn strategies_of(source: &str) -> Result<Vec<StrategyConfig>, String> {
    if !is_file(source) {
        let mut built_in = strategies::built_in();
        built_in.retain(|strategy| strategy.name == source);
        if !built_in.is_empty() {
            return Ok(built_in);
        }
    }
    let text = read_text(Path::new(source))
        .map_err(|error| format!("{source}: cannot read the strategies: {error}"))?;
    strategies::parse(source, &text).map_err(|error| error.to_string())
}

/// Returns `true` if a word is the path of a file and no name of a strategy.
fn is_file(word: &str) -> bool {
    word.ends_with(".json") || word.ends_with(".sjson") || word.contains('/')
}

/// Returns the peers that a list chooses: `all`, `none`, or names.
///
/// # Errors
///
/// What is wrong with the list, in words.
pub(crate) fn choose_peers(list: &str) -> Result<Vec<Row>, String> {
    let compiled = rows::peers();
    match list {
        "all" => return Ok(compiled),
        "none" => return Ok(Vec::new()),
        _ => {}
    }
    let wanted: Vec<&str> = list.split(',').filter(|name| !name.is_empty()).collect();
    for name in &wanted {
        if compiled.iter().any(|row| row.name() == *name) {
            continue;
        }
        if PEERS_OF_FEATURE.contains(name) {
            return Err(format!(
                "peer `{name}` is not compiled in; build with `--features peers-all`"
            ));
        }
        let known: Vec<&str> = compiled.iter().map(Row::name).collect();
        return Err(format!("unknown peer `{name}`; known are {}, all and none", known.join(", ")));
    }
    Ok(compiled.into_iter().filter(|row| wanted.contains(&row.name())).collect())
}

/// Returns all rows: the loop, ours, the strategies, the peers.
///
/// # Errors
///
/// In words, if two rows have the same name.
pub(crate) fn rows(strategies: &[StrategyConfig], peers: Vec<Row>) -> Result<Vec<Row>, String> {
    let mut rows = vec![Row::null()];
    rows.extend(loligo_replay::ours());
    for strategy in strategies {
        let taken = rows.iter().map(Row::name).chain(rows::PEER_NAMES);
        if taken.into_iter().any(|name| name == strategy.name) {
            return Err(format!(
                "the name `{}` is taken by another row; give the strategy another",
                strategy.name
            ));
        }
        rows.push(strategy.row());
    }
    rows.extend(peers);
    Ok(rows)
}

/// Returns the rows of a replay by threads: the loop, ours, the peers, of which each serves several
/// threads.
///
/// # Errors
///
/// What is wrong with a list, in words, or which of the chosen serve one thread only.
pub(crate) fn shared_rows(strategies: Option<&str>, peers: &str) -> Result<Vec<SharedRow>, String> {
    if strategies.is_some()
        && let Some(strategy) = choose_strategies(strategies)?.first()
    {
        let what = format!("strategy `{}`", strategy.name);
        return Err(for_one_thread(&what, "--strategies"));
    }
    let chosen = choose_peers(peers)?;
    let mut rows = vec![SharedRow::null()];
    rows.extend(threads::shared_ours());
    let shared = threads::shared_peers();
    if peers != "all"
        && let Some(peer) =
            chosen.iter().find(|peer| !shared.iter().any(|row| row.name() == peer.name()))
    {
        return Err(for_one_thread(&format!("peer `{}`", peer.name()), "--peers"));
    }
    rows.extend(shared.into_iter().filter(|row| chosen.iter().any(|one| one.name() == row.name())));
    Ok(rows)
}

fn for_one_thread(what: &str, option: &str) -> String {
    let shared = threads::shared_ours().into_iter().chain(threads::shared_peers());
    let names: Vec<String> = shared.map(|row| row.name().to_owned()).collect();
    format!(
        "{what} serves one thread, and with --threads several replay; {} serve threads: leave out \
         {option} or --threads",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests;
