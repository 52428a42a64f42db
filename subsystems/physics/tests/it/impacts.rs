//! The table of effects: what is found is what a walk over all rows of the source finds.

use loligo_containers::Endian;
use loligo_ids::{IdString32, IdString64};
use loligo_physics::compile::compile_impacts;
use loligo_physics::{Impact, ImpactKind, ImpactTable};

use crate::fields::Random;
use crate::project::{TestProject, aligned};
use crate::settings::GAME;

/// A table with all that one can have.
pub(crate) const SOURCE: &str = r#"
settings = "game"
rows = [
    { kind = "impact" materials = [ "wood" "stone" ] least = 2 effect = "knock" strength = [ [ 2 0.25 ] [ 6 1 ] ] }
    { kind = "impact" materials = [ "stone" "wood" ] least = 20 effect = "crash" }
    { kind = "impact" materials = [ "ice" "*" ] effect = "crack" strength = 0.5 }
    { kind = "impact" materials = [ "*" "stone" ] least = 1 effect = "thud" }
    { kind = "impact" materials = [ "*" "*" ] least = 3 effect = "bump" }
    { kind = "impact" materials = [ "ice" "ice" ] }
    { kind = "footstep" materials = [ "*" "stone" ] effect = "step" }
]
"#;

/// Compiles a table that is right.
pub(crate) fn table_bytes(source: &str) -> Vec<u8> {
    let names = ["wood", "stone", "ice"].map(String::from);
    compile_impacts(source.as_bytes(), &names, Endian::NATIVE).expect("it is right")
}

#[test]
fn the_most_specific_row_is_found() {
    aligned(&table_bytes(SOURCE), |bytes| {
        let table = ImpactTable::open(bytes).expect("it is whole");
        assert_eq!(table.len(), 7);
        let find = |a, b, amount| {
            let pair = [a, b].map(IdString32::new);
            let found = table.find(ImpactKind::Impact, pair, amount);
            let back = table.find(ImpactKind::Impact, [pair[1], pair[0]], amount);
            assert_eq!(found, back, "in either order");
            found
        };
        let of = |effect, strength| Some(Impact { effect: IdString64::new(effect), strength });
        assert_eq!(find("wood", "stone", 2.0), of("knock", 0.25));
        assert_eq!(find("wood", "stone", 4.0), of("knock", 0.625), "between the points");
        assert_eq!(find("wood", "stone", 10.0), of("knock", 1.0), "past the last point");
        assert_eq!(find("wood", "stone", 20.0), of("crash", 1.0), "the greatest least amount");
        assert_eq!(find("wood", "stone", 1.5), of("thud", 1.0), "too weak for the pair");
        assert_eq!(find("wood", "stone", 0.5), None, "too weak for all");
        assert_eq!(find("stone", "ice", 9.0), of("crack", 0.5), "first in the source");
        assert_eq!(find("ice", "ice", 9.0), None, "without an effect");
        assert_eq!(find("wood", "wood", 3.0), of("bump", 1.0), "any two");
        assert_eq!(find("cloth", "gold", 3.0), of("bump", 1.0), "not even in the settings");
        let step = |kind| table.find(kind, ["stone", "shoe"].map(IdString32::new), 1.0);
        assert_eq!(step(ImpactKind::Footstep), of("step", 1.0));
        assert_eq!(step(ImpactKind::Slide), None, "no row of the kind");
        assert_eq!(find("wood", "stone", f32::NAN), None, "not a number");
    });
}

/// A row of the model: kind, two materials, least amount, effect.
type Row = (usize, [usize; 2], u32, String);

/// What the model finds: the rows that fit, ranked as the documentation says.
fn expected(rows: &[Row], kind: usize, pair: [usize; 2], amount: f32) -> Option<IdString64> {
    let is_pair = |own: [usize; 2], a, b| own == [a, b] || own == [b, a];
    let best = |fits: &dyn Fn(&Row) -> bool| {
        let fit = rows.iter().filter(|row| row.0 == kind && row.2 as f32 <= amount && fits(row));
        fit.max_by_key(|row| row.2)
    };
    let [a, b] = pair;
    let place = |row: &Row| rows.iter().position(|other| other == row);
    let one = [best(&|row| is_pair(row.1, 0, a)), best(&|row| is_pair(row.1, 0, b))];
    let one = one.into_iter().flatten().min_by_key(|row| place(row));
    let found = best(&|row| is_pair(row.1, a, b)).or(one).or_else(|| best(&|row| row.1 == [0; 2]));
    found.map(|row| IdString64::new(&row.3))
}

#[test]
fn drawn_tables_find_what_a_walk_finds() {
    let seed = 3;
    println!("seed {seed}");
    let mut random = Random(seed);
    let kinds = [ImpactKind::Impact, ImpactKind::Footstep, ImpactKind::Slide];
    let names = ["*", "wood", "stone", "ice"];
    for _ in 0..40 {
        let mut rows: Vec<Row> = Vec::new();
        for _ in 0..random.next() % 40 {
            let mut below = |most: u64| (random.next() % most) as usize;
            let (kind, pair, least) = (below(3), [below(4), below(4)], below(4) as u32);
            let is_same = |row: &Row| {
                row.0 == kind && row.2 == least && (row.1 == pair || row.1 == [pair[1], pair[0]])
            };
            if !rows.iter().any(is_same) {
                rows.push((kind, pair, least, format!("effect {}", rows.len())));
            }
        }
        let text: String = rows
            .iter()
            .map(|(kind, [a, b], least, effect)| {
                let kind = ["impact", "footstep", "slide"][*kind];
                let [a, b] = [names[*a], names[*b]];
                format!(
                    "{{ kind = \"{kind}\" materials = [ \"{a}\" \"{b}\" ] least = {least} effect = \"{effect}\" }}\n"
                )
            })
            .collect();
        aligned(&table_bytes(&format!("rows = [ {text} ]")), |bytes| {
            let table = ImpactTable::open(bytes).expect("it is whole");
            for at in 0..3 * 9 * 5 {
                let (kind, a, b, amount) = (at % 3, at / 3 % 3 + 1, at / 9 % 3 + 1, at / 27);
                let pair = [names[a], names[b]].map(IdString32::new);
                let amount = amount as f32 - 0.5;
                let found = table.find(kinds[kind], pair, amount).map(|impact| impact.effect);
                assert_eq!(found, expected(&rows, kind, [a, b], amount), "{at} of\n{text}");
            }
        });
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let cases = [
        (
            "\"wood\" \"stone\" ]",
            "\"woud\" \"stone\" ]",
            "t.impacts:4:37: there is no material `woud`; is `wood` meant?",
        ),
        ("\"wood\" \"stone\" ]", "\"wood\" ]", "expected two materials, found an array of 1"),
        (
            "kind = \"impact\"",
            "kind = \"impac\"",
            "\"impac\" means nothing here; the values are \"impact\", \"footstep\", \"slide\"",
        ),
        (
            "least = 20",
            "least = 2",
            "t.impacts:5:5: the row in line 4 has the same kind, materials and least amount",
        ),
        ("least = 20", "least = -2", "-2 is not in the range"),
        ("[ 6 1 ]", "[ 2 1 ]", "the amount 2 is not more than the one before"),
        ("[ [ 2 0.25 ] [ 6 1 ] ]", "[]", "the curve has 0 points; 1 to 64 are possible"),
        ("strength = 0.5", "strength = -0.5", "-0.5 is not in the range"),
        ("settings = \"game\"", "", "there is no `settings`"),
    ];
    for (from, to, expected) in cases {
        assert!(SOURCE.contains(from), "{from}");
        let source = SOURCE.replacen(from, to, 1);
        let project = TestProject::new(&[
            ("game.physics", GAME.as_bytes()),
            ("t.impacts", source.as_bytes()),
        ]);
        let error = project.compile().expect_err(to);
        assert!(error.contains(expected), "{to}: {error}");
    }
}
