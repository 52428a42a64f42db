//! Tests of the overview: the forest, numbers and names, the rectangles, and links that form no
//! tree.

use core::alloc::Layout as BlockLayout;
use core::fmt::{self, Write};
use core::ptr::{self, NonNull};
use std::format;
use std::string::{String, ToString};
use std::thread;
use std::vec::Vec;

use super::Overview;
use super::layout::{Layout, Place};
use super::text::{Bytes, Grouped, InHtml, InJson, Plain};
use super::tree::{Step, Tree};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::stats::Stats;
use crate::testing::test_backing::Random;

/// An allocator with fixed answers.
pub(super) struct Fake {
    name: String,
    identity: usize,
    backing: Option<usize>,
    stats: Stats,
    budget: Option<usize>,
}

impl Fake {
    pub(super) fn new(name: &str, identity: usize, backing: Option<usize>) -> Self {
        let stats = Stats { exact: true, ..Stats::default() };
        Self { name: name.to_string(), identity, backing, stats, budget: None }
    }

    pub(super) fn with(self, live: usize, bytes: [usize; 3], budget: Option<usize>) -> Self {
        let [requested, granted, reserved] = bytes;
        let peak_granted = granted.saturating_mul(2);
        let stats = Stats { live, requested, granted, reserved, peak_granted, ..self.stats };
        Self { stats, budget, ..self }
    }

    fn about(mut self) -> Self {
        self.stats.exact = false;
        self
    }
}

// SAFETY: it never serves a request.
unsafe impl Allocator for Fake {
    fn allocate(&self, _layout: BlockLayout) -> Result<NonNull<[u8]>, AllocError> {
        Err(AllocError)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        panic!("no block was given out, {block:p} neither");
    }

    unsafe fn allocated_size(&self, _block: NonNull<u8>) -> usize {
        0
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> *const () {
        ptr::without_provenance(self.identity)
    }

    fn backing_identity(&self) -> Option<*const ()> {
        self.backing.map(ptr::without_provenance)
    }

    fn budget(&self) -> Option<usize> {
        self.budget
    }

    fn owns(&self, _address: *const u8) -> bool {
        false
    }

    fn walk(&self, _visit: &mut dyn FnMut(Block)) {}

    fn verify(&self) -> Result<(), Damage> {
        Ok(())
    }
}

pub(super) fn list(fakes: &[Fake]) -> Vec<&dyn Allocator> {
    fakes.iter().map(|fake| fake as &dyn Allocator).collect()
}

/// Writes the forest as `a(b(c) d)`.
fn shape(fakes: &[Fake]) -> String {
    let mut text = String::new();
    let all = list(fakes);
    let tree = Tree::new(&all);
    let walked = tree.walk(|step| match step {
        Step::Enter { index, depth } => {
            let parent = tree.parent(index);
            assert_eq!(depth == 0, parent.is_none(), "roots have no parent");
            write!(text, "{}(", fakes[index].name)
        }
        Step::Leave => text.write_char(')'),
    });
    walked.expect("writing to a string does not fail");
    text.replace("()", " ").replace(" )", ")")
}

#[test]
fn a_row_of_the_page_has_every_number() {
    let mut fakes = std::vec![
        Fake::new("root", 16, None).with(2, [100, 200, 400], None),
        Fake::new("child", 17, Some(16)).with(1, [50, 60, 100], Some(60)).about(),
        Fake::new("other", 18, Some(16)).with(0, [0, 0, 0], Some(0)),
    ];
    let page = Overview::new(&list(&fakes)).html().to_string();
    let row = |indent: &str, hue: u32, name: &str, numbers: [&str; 6]| {
        let [live, requested, granted, reserved, peak, budget] = numbers;
        format!(
            "<tr><th scope=\"row\" style=\"padding-left:{indent}rem\">\
             <i style=\"--h:{hue}\"></i>{name}</th><td data-head=\"live\">{live}</td>\
             <td data-head=\"requested\">{requested}</td><td data-head=\"granted\">{granted}</td>\
             <td data-head=\"reserved\">{reserved}</td><td data-head=\"peak\">{peak}</td>\
             <td data-head=\"budget\">{budget}</td></tr>\n"
        )
    };
    let all = "100&nbsp;%";
    for expected in [
        row("0.8", 205, "root", ["2", "100", "200", "400", "400", "-"]),
        row(
            "1.9",
            342,
            "child",
            ["1", "~50", "60", "100", "120", &format!("60 <small>({all})</small>")],
        ),
        row("1.9", 119, "other", ["0", "0", "0", "0", "0", "0 <small>(0&nbsp;%)</small>"]),
    ] {
        assert!(page.contains(&expected), "{expected} is not in {page}");
    }
    let whole = "left:0.000%;top:0.000%;width:100.000%;height:100.000%;--h:205";
    assert!(page.contains(whole), "the only root fills the map: {page}");
    let about = "; ~ requested bytes are not recorded there";
    assert!(page.contains(about), "the child does not remember");
    fakes[1].stats.exact = true;
    let page = Overview::new(&list(&fakes)).html().to_string();
    assert!(!page.contains(about) && !page.contains('~'), "all remember: {page}");
}

#[test]
fn rows_are_indented_by_depth_up_to_eight() {
    let chain = |depth: usize| {
        let backing = (depth > 0).then(|| 15 + depth);
        Fake::new("link", 16 + depth, backing).with(1, [10, 10, 10], None)
    };
    let fakes: Vec<_> = (0..11).map(chain).collect();
    let page = Overview::new(&list(&fakes)).html().to_string();
    for depth in 0..8 {
        let indent = format!("padding-left:{:.1}rem", 0.8 + 1.1 * f64::from(depth));
        assert_eq!(page.matches(&indent).count(), 1, "depth {depth}: {indent}");
    }
    assert_eq!(page.matches("padding-left:9.6rem").count(), 3, "depths 8, 9 and 10");
}

#[test]
fn allocators_form_a_forest() {
    let fakes = [
        Fake::new("d", 4, Some(2)),
        Fake::new("a", 1, Some(99)),
        Fake::new("b", 2, Some(1)),
        Fake::new("c", 3, Some(1)),
        Fake::new("e", 5, None),
        Fake::new("f", 6, Some(2)),
    ];
    assert_eq!(shape(&fakes), "a(b(d f)c)e ", "in the order listed, whatever that is");
    assert_eq!(shape(&[]), "");
}

#[test]
fn shared_identities_and_circles_do_not_loop() {
    let twice = [
        Fake::new("pages", 1, None),
        Fake::new("lock", 2, Some(1)),
        Fake::new("guarded", 2, Some(1)),
        Fake::new("user", 3, Some(2)),
    ];
    assert_eq!(shape(&twice), "pages(lock(user)guarded)");
    let own = [Fake::new("wrapper", 1, Some(1)), Fake::new("inner", 1, None)];
    assert_eq!(shape(&own), "wrapper inner ");
    let circle = [
        Fake::new("a", 1, Some(2)),
        Fake::new("b", 2, Some(3)),
        Fake::new("c", 3, Some(1)),
        Fake::new("below", 4, Some(1)),
        Fake::new("apart", 5, None),
        Fake::new("child", 6, Some(5)),
    ];
    assert_eq!(shape(&circle), "a b c below apart(child)");
}

#[test]
fn random_forests_are_walked_whole() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let count = 1 + random.below(20);
        let fakes: Vec<Fake> = (0..count)
            .map(|at| {
                let identity = if random.below(8) == 0 { random.below(count) } else { at };
                let backing = random.below(count + 3);
                Fake::new(&format!("n{at}"), identity + 1, Some(backing + 1))
            })
            .collect();
        let all = list(&fakes);
        let mut seen = Vec::new();
        let mut open = 0_i32;
        let walked = Tree::new(&all).walk(|step| {
            match step {
                Step::Enter { index, depth } => {
                    assert_eq!(usize::try_from(open), Ok(depth), "seed {seed}");
                    seen.push(index);
                    open += 1;
                }
                Step::Leave => open -= 1,
            }
            Ok(())
        });
        walked.expect("nothing failed");
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..count), "seed {seed}: each once");
        assert_eq!(open, 0);
        check_page(&Overview::new(&all).html().to_string());
    }
}

#[test]
fn bytes_are_written_in_the_unit_stated() {
    for (bytes, text) in [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1075, "1.0 KiB"),
        (1076, "1.1 KiB"),
        (1536, "1.5 KiB"),
        (1_048_525, "1.0 MiB"),
        (1_048_524, "1023.9 KiB"),
        (3 << 30, "3.0 GiB"),
        (usize::MAX, if usize::BITS == 64 { "16.0 EiB" } else { "4.0 GiB" }),
    ] {
        assert_eq!(Bytes(bytes).to_string(), text);
    }
    for (number, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (70_012_345, "70 012 345")] {
        assert_eq!(Grouped(number).to_string().replace('\u{a0}', " "), text);
    }
    let digits = Grouped(usize::MAX).to_string().chars().filter(char::is_ascii_digit).count();
    assert_eq!(digits, usize::MAX.to_string().len(), "none is lost");
}

#[test]
fn names_are_escaped() {
    let name = "a\"b\\c<d>&'e\n\u{7f}\u{1}é";
    assert_eq!(Plain(name).to_string(), "a\"b\\c<d>&'e\u{fffd}\u{fffd}\u{fffd}é");
    assert_eq!(InJson(name).to_string(), "a\\\"b\\\\c<d>&'e\\u000a\u{7f}\\u0001é");
    assert_eq!(
        InHtml(name).to_string(),
        "a&quot;b\\c&lt;d&gt;&amp;&#39;e\u{fffd}\u{fffd}\u{fffd}é"
    );
    let fakes = [Fake::new(name, 1, None)];
    let all = list(&fakes);
    check_page(&Overview::new(&all).html().to_string());
}

fn sample() -> [Fake; 4] {
    [
        Fake::new("pages", 1, None).with(1, [4096, 4096, 8192], None),
        Fake::new("heap of everything", 2, Some(1)).with(12, [2000, 2048, 4096], None).about(),
        Fake::new("sound", 3, Some(2)).with(3, [1000, 1000, 1000], Some(3 << 20)),
        Fake::new("île", 4, None).with(0, [0, 0, 1 << 30], None),
    ]
}

#[test]
fn the_table_is_aligned() {
    let fakes = sample();
    let wanted = "\
allocator             live  requested  granted  reserved     peak   budget
pages                    1    4.0 KiB  4.0 KiB   8.0 KiB  8.0 KiB        -
  heap of everything    12   ~2.0 KiB  2.0 KiB   4.0 KiB  4.0 KiB        -
    sound                3     1000 B   1000 B    1000 B  2.0 KiB  3.0 MiB
île                      0        0 B      0 B   1.0 GiB      0 B        -
~ granted bytes: requested bytes are not recorded";
    assert_eq!(Overview::new(&list(&fakes)).to_string(), wanted);
    let empty = "allocator  live  requested  granted  reserved  peak  budget";
    assert_eq!(Overview::new(&[]).to_string(), empty);
}

#[test]
fn json_has_exact_numbers() {
    let fakes = sample();
    let zeros = "\"allocations_total\": 0, \"requested_total\": 0, \"granted_total\": 0";
    let wanted = format!(
        "{{\"allocators\": [
  {{\"id\": 0, \"parent\": null, \"depth\": 0, \"name\": \"heap of everything\", \
\"budget\": null, \"exact\": false, \"live\": 12, \"requested\": 2000, \"granted\": 2048, \
\"reserved\": 4096, \"peak_requested\": 0, \"peak_granted\": 4096, \"peak_reserved\": 0, {zeros}}},
  {{\"id\": 1, \"parent\": 0, \"depth\": 1, \"name\": \"sound\", \
\"budget\": 3145728, \"exact\": true, \"live\": 3, \"requested\": 1000, \"granted\": 1000, \
\"reserved\": 1000, \"peak_requested\": 0, \"peak_granted\": 2000, \"peak_reserved\": 0, {zeros}}}
]}}"
    );
    assert_eq!(Overview::new(&list(&fakes[1..3])).json().to_string(), wanted);
    assert_eq!(Overview::new(&[]).json().to_string(), "{\"allocators\": [\n]}");
}

/// Checks that tags are closed in order, that percentages are in range, and that the page loads
/// nothing.
fn check_page(page: &str) {
    let (_, body) = page.split_once("<body>").expect("there is a body");
    let mut open = Vec::new();
    for tag in body.split('<').skip(1).filter_map(|part| part.split('>').next()) {
        let name = tag.split(' ').next().unwrap_or_default();
        match name.strip_prefix('/') {
            Some("body" | "html") => assert!(open.is_empty(), "{open:?} is open at the end"),
            Some(name) => assert_eq!(open.pop(), Some(name), "in {tag}"),
            None => open.push(name),
        }
    }
    for part in body.split("style=\"left:").skip(1) {
        let style = part.split("%;height:").next().expect("there is a style");
        for number in style.split("%;").filter_map(|number| number.split(':').next_back()) {
            let number: f64 = number.parse().expect("a number");
            assert!((0.0..=100.001).contains(&number), "{style}");
        }
    }
    for outside in ["http:", "https:", "<script", "@import", "url("] {
        assert!(!page.contains(outside), "{outside} in the page");
    }
}

#[test]
fn the_page_is_whole() {
    let fakes = sample();
    let page = Overview::new(&list(&fakes)).html().to_string();
    check_page(&page);
    assert_eq!(page.matches("class=\"box\"").count(), 4);
    assert_eq!(page.matches("<tr>").count(), 5);
    // The heap has all of the 4 096 granted bytes; of its 2 048 the sound has 1 000.
    assert!(page.contains("title=\"heap of everything: 1.0 KiB granted\""), "{page}");
    assert!(page.contains("title=\"pages: 4.0 KiB free\""));
    assert!(!page.contains("title=\"pages: 0 B"), "nothing is drawn where there is nothing");
    assert!(page.contains("<td data-head=\"budget\">3\u{a0}145\u{a0}728 <small>(0&nbsp;%)"));
    check_page(&Overview::new(&[]).html().to_string());
}

#[test]
fn children_that_claim_too_much_share_the_room() {
    let huge = usize::MAX - 7;
    let fakes = [
        Fake::new("parent", 1, None).with(2, [10, 10, 20], None),
        Fake::new("greedy", 2, Some(1)).with(1, [huge, huge, huge], Some(0)),
        Fake::new("greedier", 3, Some(1)).with(1, [1, huge, huge], Some(huge)),
        Fake::new("empty", 4, Some(1)),
        Fake::new("below", 5, Some(2)).with(1, [1, 1, 1], None),
    ];
    let all = list(&fakes);
    let page = Overview::new(&all).html().to_string();
    check_page(&page);
    assert_eq!(page.matches("class=\"box\"").count(), 5, "each is there");
    assert!(!page.contains("parent: 0 B granted"), "nothing is left over");
}

#[test]
fn deep_trees_need_no_stack() {
    let fakes: Vec<Fake> = (0..120)
        .map(|at| {
            let bytes = 1 << 20 >> (at / 8);
            Fake::new("deep", at + 1, at.checked_sub(1).map(|at| at + 1)).with(
                1,
                [bytes / 2, bytes / 2, bytes],
                None,
            )
        })
        .collect();
    struct Nowhere(usize);
    impl Write for Nowhere {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    thread::scope(|scope| {
        let small = thread::Builder::new().stack_size(48 << 10);
        let worker = small.spawn_scoped(scope, || {
            let all = list(&fakes);
            for depth in [32, 120] {
                let overview = Overview::new(&all[..depth]);
                let mut out = Nowhere(0);
                let (html, json) = (overview.html(), overview.json());
                write!(out, "{overview}{json}{html}").expect("nothing fails");
                assert!(out.0 > 1000, "something was written");
            }
        });
        worker.expect("a thread can be started").join().expect("the stack was enough");
    });
    check_page(&Overview::new(&list(&fakes[..40])).html().to_string());
}

#[test]
fn rectangles_share_the_area_without_overlap() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let weights: Vec<u64> = (0..1 + random.below(14))
            .map(|_| {
                let bits = random.below(40);
                random.next() & ((1 << bits) - 1)
            })
            .collect();
        let aspect = [0.2, 1.0, 1.9, 30.0][random.below(4)];
        let layout = Layout { count: weights.len(), weight: &|at| weights[at], aspect };
        let places: Vec<Option<Place>> = (0..weights.len()).map(|at| layout.place(at)).collect();
        let total: u64 = weights.iter().sum();
        for (at, place) in places.iter().enumerate() {
            let Some(place) = place else {
                assert_eq!(weights[at], 0, "seed {seed}: a thing with weight has a place");
                continue;
            };
            let area = place.width * place.height / 1e4;
            let share = weights[at] as f64 / total as f64;
            assert!((area - share).abs() < 1e-6, "seed {seed}: {place:?} for {share}");
            let (right, bottom) = (place.left + place.width, place.top + place.height);
            assert!(place.left > -1e-6 && place.top > -1e-6, "seed {seed}: {place:?}");
            assert!(right < 100.0 + 1e-4 && bottom < 100.0 + 1e-4, "seed {seed}: {place:?}");
            for other in places[..at].iter().flatten() {
                let across = right.min(other.left + other.width) - place.left.max(other.left);
                let down = bottom.min(other.top + other.height) - place.top.max(other.top);
                let overlap = across.max(0.0) * down.max(0.0);
                assert!(overlap < 1e-3, "seed {seed}: {place:?} over {other:?}");
            }
        }
    }
}

#[test]
fn equal_things_make_squares() {
    let layout = Layout { count: 4, weight: &|_| 7, aspect: 1.0 };
    let places = [0, 1, 2, 3].map(|at| layout.place(at).expect("it has weight"));
    for (place, (left, top)) in places.iter().zip([(0, 0), (0, 50), (50, 0), (50, 50)]) {
        let wanted = Place { left: left.into(), top: top.into(), width: 50.0, height: 50.0 };
        assert_eq!(*place, wanted);
    }
}
