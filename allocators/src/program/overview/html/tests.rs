//! Tests of the rectangles of a page, by the numbers of the allocators.

use std::format;
use std::string::ToString;

use super::{ASPECT, Inside, Style, hue};
use crate::program::overview::Overview;
use crate::program::overview::layout::Layout;
use crate::program::overview::tests::{Fake, list};
use crate::program::overview::tree::Tree;

#[test]
fn hues_are_the_golden_angle_apart() {
    for index in 0..1000 {
        assert_eq!(hue(index), (205 + index * 137) % 360, "{index}");
    }
}

#[test]
fn what_lies_in_a_rectangle_shares_it_by_what_it_reserves() {
    let fakes = [
        Fake::new("first", 1, Some(10)).with(1, [0, 0, 300], None),
        Fake::new("root", 10, None).with(2, [600, 600, 1000], None),
        Fake::new("empty", 2, Some(10)),
        Fake::new("below", 3, Some(1)).with(1, [7, 7, 7], None),
    ];
    let all = list(&fakes);
    let inside = Inside::of(Tree::new(&all), Some(1));
    assert_eq!((inside.used, inside.free), (300, 400), "granted to others, and free");
    // One without reserved bytes is still shown; the root and deeper descendants are not.
    let weights = [300, 0, 1, 0, 300, 400];
    let layout = Layout { count: weights.len(), weight: &|thing| weights[thing], aspect: ASPECT };
    for thing in 0..weights.len() {
        assert_eq!(inside.place(thing, ASPECT), layout.place(thing), "{thing}");
    }
    let map = Inside::of(Tree::new(&all), None);
    assert_eq!((map.used, map.free), (0, 0), "the map itself has nothing");
    let lies = [0, 1, 2, 3].map(|thing| map.place(thing, ASPECT).is_some());
    assert_eq!(lies, [false, true, false, false], "the only root");
}

#[test]
fn each_rectangle_is_laid_out_by_its_own_shape() {
    let fakes = [
        Fake::new("root", 10, None).with(2, [970, 970, 1000], None),
        Fake::new("child", 11, Some(10)).with(2, [140, 140, 150], None),
        Fake::new("inner", 12, Some(11)).with(1, [60, 60, 80], None),
        Fake::new("other", 13, Some(10)).with(0, [0, 0, 20], None),
    ];
    let all = list(&fakes);
    let tree = Tree::new(&all);
    let page = Overview::new(&all).html().to_string();
    let mut aspect = ASPECT;
    for (parent, index) in [(None, 0), (Some(0), 1), (Some(1), 2)] {
        let outside = Inside::of(tree, parent);
        let place = outside.place(index, aspect).expect("it has reserved something");
        if index > 1 {
            assert_ne!(outside.place(index, ASPECT), Some(place), "the shape matters");
        }
        let name = all[index].name();
        let head = format!("style=\"{};--h:{}\" title=\"{name}: ", Style(place), hue(index));
        assert!(page.contains(&head), "{head} is not in {page}");
        aspect = (aspect * place.width / place.height).clamp(0.01, 100.0);
        let inside = Inside::of(tree, Some(index));
        for (thing, class) in [(inside.used_thing(), "used"), (inside.free_thing(), "free")] {
            let place = inside.place(thing, aspect).expect("there is some");
            let part =
                format!("<div class=\"{class}\" style=\"{}\" title=\"{name}: ", Style(place));
            assert!(page.contains(&part), "{part} is not in {page}");
        }
    }
    // Its sibling uses the shape of their parent, whatever was drawn in between.
    let place = Inside::of(tree, Some(0)).place(3, ASPECT).expect("it has reserved something");
    let head = format!("style=\"{};--h:{}\" title=\"other: ", Style(place), hue(3));
    assert!(page.contains(&head), "{head} is not in {page}");
}
