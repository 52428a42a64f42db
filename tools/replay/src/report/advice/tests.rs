//! Tests of the page of an advice.

use std::fs;

use super::maps;
use crate::advise::{Options, advise};
use crate::child::alone;
use crate::report::prepare;
use crate::report::tests::random_trace;
use crate::report::timeline::Timeline;
use crate::strategies::{built_in, heap_alone};

#[test]
fn the_page_has_all_its_pictures() {
    let _alone = alone();
    let mut trace = random_trace(5, 4000);
    trace.name = String::from("</script><b>x");
    let options = Options { candidates: 6, finalists: 2, rounds: 1, ..Options::default() };
    let advice = advise(&trace, &options, &mut |_, _, _| {}).expect("a search");
    let place = tempfile::tempdir().expect("a folder for the test");
    let report = prepare(place.path()).expect("the folder can be used");
    let path = report.write_advice(&advice, &trace).expect("the page can be written");
    assert_eq!(path, place.path().join("advice.html"));
    let page = fs::read_to_string(path).expect("the page is text");
    assert!(!page.contains("<b>x") && !page.contains("http"), "escaped, and no link");
    assert!(!page.contains("{{") && page.ends_with("</html>\n"), "it is whole");
    let json = page.split_once("id=\"report-data\">").expect("the data is there").1;
    let json = json.split_once("</script>").expect("the data ends").0;
    let data: serde_json::Value = serde_json::from_str(json).expect("the data is JSON");
    assert_eq!(data["name"], "</script><b>x", "the name means what it meant");
    assert_eq!(data["judged"].as_array().map(Vec::len), Some(advice.judged.len()));
    assert_eq!(data["judged"][0]["name"], "heap");
    assert!(data["tried"].as_array().is_some_and(|tried| tried.len() > 3), "{}", data["tried"]);
    let blocks = data["heat"].as_array().expect("rows").iter();
    let blocks = blocks.flat_map(|row| row.as_array().expect("a row"));
    assert!(blocks.filter_map(serde_json::Value::as_u64).sum::<u64>() > 100, "freed blocks");
    assert!(data["live_bytes"].as_array().is_some_and(|line| line.len() > 10), "a line");
    assert_eq!(data["maps"][0]["key"], "heap", "the memory before");
    let moments = data["maps"][0]["moments"].as_array().expect("moments");
    assert_eq!(moments.len(), 5, "the quarters and the peak");
}

#[test]
fn maps_hold_what_is_live() {
    let _alone = alone();
    let trace = random_trace(11, 3000);
    let line = Timeline::of(&trace);
    let strategies = built_in().into_iter().chain([heap_alone()]);
    for strategy in strategies.filter(|one| one.name != "pools+buddy") {
        let snapshots = maps::take(&strategy, &trace, &line);
        assert_eq!(snapshots.len(), 5, "{}", strategy.name);
        for snapshot in snapshots {
            let (live, reserved) = (snapshot.live, snapshot.reserved() as u64);
            assert!(live <= reserved, "{}: {live} live in {reserved}", strategy.name);
            let label = snapshot.label;
            assert!(label != "peak" || live == trace.peak_live_bytes, "{}: {live}", strategy.name);
            let moment = snapshot.finish(reserved as usize);
            assert!(live == 0 || moment.cells.chars().any(|cell| cell != '0'), "{}", strategy.name);
        }
    }
}
