//! The demonstration is the article's: its size, its levels, its length.

use super::{CALLS, film};
use crate::report::data::Call;
use crate::report::film::tests::check_film;

#[test]
fn the_walk_is_sound_and_the_same_each_time() {
    let film = film().expect("there is memory for 128 KiB");
    check_film(&film);
    assert_eq!((film.region_bytes, film.levels), (128 * 1024, 5), "as in the article");
    assert_eq!(film.calls.len(), CALLS + 1, "a frame a call, and the first");
    let again = super::film().expect("there is memory for 128 KiB");
    assert_eq!(film.calls, again.calls, "nothing is left to chance");
}

#[test]
fn the_walk_shows_every_thing_there_is() {
    let film = film().expect("there is memory for 128 KiB");
    let count =
        |wanted: fn(&Call) -> bool| film.calls.iter().filter(|frame| wanted(&frame.call)).count();
    assert!(count(|call| matches!(call, Call::Allocate { block: Some(_), .. })) >= 40, "served");
    assert!(count(|call| matches!(call, Call::Free { .. })) >= 30, "freed");
    assert!((1..=5).contains(&count(|call| matches!(call, Call::Allocate { block: None, .. }))));
    let most = film.calls.iter().map(|frame| frame.states.matches('a').count()).max();
    assert!(most >= Some(10), "the tree fills: {most:?}");
    let whole = film.calls.iter().skip(1).filter(|frame| frame.states.starts_with('f')).count();
    assert!(whole >= 1, "and merges into one block again");
}
