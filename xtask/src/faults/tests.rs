//! What is written down is read, and what cannot be planted is refused.

use super::cast::Catch;
use super::fault::Fault;
use super::ledger::{Ledger, Row};
use super::net::{Kind, Net};
use super::{Request, kinds, page, parse, wanted};

const TEXT: &str = "\
class: a class
says: What is wrong.
net: unit loligo-allocators pool::tests
net: fuzz pool
file: a.rs
find:
|    one;
|    two;
put:
|    one;
";

fn fault() -> Fault {
    Fault::read("a-fault", TEXT).expect("it is written as it should be")
}

#[test]
fn a_fault_is_read_and_planted_once() {
    let fault = fault();
    assert_eq!((fault.find.as_str(), fault.put.as_str()), ("    one;\n    two;", "    one;"));
    assert_eq!(fault.nets[1], Net { kind: Kind::Fuzz, what: "pool".into(), tests: Vec::new() });
    let planted = fault.plant("{\n    one;\n    two;\n}\n");
    assert_eq!(planted.ok().as_deref(), Some("{\n    one;\n}\n"));
    assert!(fault.plant("{\n}\n").is_err(), "what is not there cannot be replaced");
    let twice = "    one;\n    two;\n    one;\n    two;\n";
    assert!(fault.plant(twice).is_err(), "what is there twice is ambiguous");
}

#[test]
fn what_is_not_written_as_it_should_be_is_refused_with_its_line() {
    for (text, what) in [
        (TEXT.replace("class: a class\n", ""), ":1: class, says and file"),
        (TEXT.replace("net: fuzz pool", "net: luck pool"), ":4: no net is called `luck`"),
        (TEXT.replace("file: a.rs", "|x"), ":5: a line of code"),
        (TEXT.replace("file: a.rs", "files: a.rs"), ":5: the keys are"),
        (TEXT.replace("|    two;\n", ""), ":1: nothing is changed"),
    ] {
        let error = Fault::read("a-fault", &text).expect_err(&text).to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn a_net_asks_for_tests_by_how_their_names_begin() {
    let net = Net::read("unit loligo-allocators pool::tests !pool::tests::random").expect("a net");
    assert!(net.asks_for("pool::tests::a"), "it begins so");
    assert!(!net.asks_for("pool::tests::random_programs"), "it is left out");
    assert!(!net.asks_for("shared_pool::tests::a"), "it holds it, but does not begin so");
}

#[test]
fn verdicts_are_kept_until_the_fault_changes() {
    let fault = fault();
    let rows: Vec<_> = [Catch::Failed("a::test".into()), Catch::Nothing]
        .iter()
        .zip(&fault.nets)
        .map(|(catch, net)| Row::new(&fault, net, catch))
        .collect();
    assert_eq!(kinds(&rows), 1, "what was missed does not count");
    let mut ledger = Ledger::default();
    ledger.keep(&fault, rows);
    let text = ledger.text();
    let again = Row::new(&fault, &fault.nets[1], &Catch::Hung("pool".into()));
    let mut later = ledger.clone();
    later.keep(&fault, vec![again.clone()]);
    assert_eq!(later.rows(&fault), [ledger.rows(&fault)[0].clone(), again], "the other stays");
    assert_eq!(Ledger::of(&text, core::slice::from_ref(&fault)), ledger);
    let page = page::text(core::slice::from_ref(&fault), &ledger);
    assert!(page.contains("| a-fault | yes | no |"), "{page}");
    assert!(page.contains("1 faults; 1 of 2 nets that were cast"), "{page}");
    let changed = Fault::read("a-fault", &TEXT.replace("two", "too")).expect("as before");
    assert_eq!(
        Ledger::of(&text, &[changed]),
        Ledger::default(),
        "its verdicts are of another fault"
    );
}

#[test]
fn arguments_are_understood_or_refused() {
    let arguments = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let asked = Request {
        write: true,
        skipped: vec![Kind::Fuzz],
        names: arguments(&["a-fault"]),
        ..Request::default()
    };
    let words = arguments(&["a-fault", "--skip", "fuzz", "--write"]);
    assert_eq!(parse(&words).ok(), Some(asked));
    assert!(parse(&arguments(&["--skip", "luck"])).is_err(), "an unknown net is refused");
    assert!(parse(&arguments(&["--quick"])).is_err(), "an unknown option is refused");
    let known = [fault()];
    let unknown = wanted(&arguments(&["no-fault"]), &known);
    assert!(
        unknown.is_err_and(|error| error.to_string().contains("a-fault")),
        "the known are named"
    );
}
