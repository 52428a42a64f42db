//! The forms of numbers: examples for people, and all languages compared with ICU4X.

use fixed_decimal::Decimal;
use icu_locale_core::Locale;
use icu_plurals::{PluralCategory as Theirs, PluralOperands, PluralRuleType, PluralRules};
use loligo_text::{Operands, PluralCategory, PluralRule};

fn category(language: &str, number: &str) -> PluralCategory {
    let rule = PluralRule::of_language(language).expect("it is known");
    rule.category(&Operands::of_text(number).expect("a number"))
}

#[test]
fn examples_of_six_languages() {
    use PluralCategory::{Few, Many, One, Other, Two, Zero};
    let examples: [(&str, &[(&str, PluralCategory)]); 6] = [
        ("en", &[("0", Other), ("1", One), ("2", Other), ("1.0", Other), ("1.5", Other)]),
        ("fr", &[("0", One), ("1", One), ("1.5", One), ("2", Other), ("1000000", Many)]),
        (
            "pl",
            &[
                ("1", One),
                ("2", Few),
                ("4", Few),
                ("5", Many),
                ("12", Many),
                ("22", Few),
                ("21", Many),
                ("112", Many),
                ("1.5", Other),
            ],
        ),
        (
            "ru",
            &[
                ("1", One),
                ("21", One),
                ("11", Many),
                ("111", Many),
                ("3", Few),
                ("13", Many),
                ("0", Many),
                ("0.5", Other),
            ],
        ),
        (
            "ar",
            &[
                ("0", Zero),
                ("1", One),
                ("2", Two),
                ("3", Few),
                ("10", Few),
                ("103", Few),
                ("11", Many),
                ("99", Many),
                ("100", Other),
                ("102", Other),
                ("0.1", Other),
            ],
        ),
        ("ja", &[("0", Other), ("1", Other), ("2", Other), ("1.5", Other)]),
    ];
    for (language, numbers) in examples {
        for (number, wanted) in numbers {
            assert_eq!(category(language, number), *wanted, "{number} in {language}");
        }
    }
}

#[test]
fn countries_have_the_rule_of_their_language_unless_they_have_another() {
    for (country, language) in [("pt-br", "pt"), ("en-gb", "en"), ("pt-pt", "it")] {
        let [of, like] = [country, language].map(PluralRule::of_language);
        assert!(of.is_some() && of == like, "{country} as {language}");
    }
    for unknown in ["", "xx", "fr_ca", "english", "-fr"] {
        assert_eq!(PluralRule::of_language(unknown), None, "{unknown:?}");
    }
}

#[test]
fn each_language_is_known_once_and_each_rule_by_its_number() {
    let mut codes: Vec<&str> = PluralRule::languages().collect();
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), count, "none twice");
    for code in codes {
        assert!(loligo_compiler::is_language(code), "{code} is a language to the compiler");
        let rule = PluralRule::of_language(code).expect("it is known");
        assert_eq!(PluralRule::of_number(rule as u32), Some(rule), "{code}");
    }
    assert_eq!(PluralRule::of_number(1000), None);
}

#[test]
fn forms_that_a_language_needs_are_those_of_small_numbers() {
    use PluralCategory::{Few, Many, One, Other, Two, Zero};
    for (language, needed, had) in [
        ("en", &[One, Other][..], &[One, Other][..]),
        ("ja", &[Other], &[Other]),
        ("fr", &[One, Other], &[One, Many, Other]),
        ("cs", &[One, Few, Other], &[One, Few, Many, Other]),
        ("pl", &[One, Few, Many, Other], &[One, Few, Many, Other]),
        ("lt", &[One, Few, Other], &[One, Few, Many, Other]),
        ("ar", &PluralCategory::ALL, &[Zero, One, Two, Few, Many, Other]),
    ] {
        let rule = PluralRule::of_language(language).expect("it is known");
        let all = PluralCategory::ALL.into_iter();
        let needs: Vec<_> = all.clone().filter(|category| rule.needs(*category)).collect();
        let has: Vec<_> = all.filter(|category| rule.has(*category)).collect();
        assert_eq!((&needs[..], &has[..]), (needed, had), "{language}");
    }
}

/// Returns numbers among which the rules differ: whole ones, with zeros after the point, and fractions.
fn numbers() -> Vec<String> {
    let mut numbers: Vec<String> = (0..=1200).map(|number| number.to_string()).collect();
    for large in [999_999, 1_000_000, 1_000_001, 2_000_000, 10_000_000, 1_000_011, 123_456_789] {
        numbers.push(large.to_string());
    }
    for whole in [0, 1, 2, 3, 4, 5, 10, 11, 12, 19, 21, 22, 100, 101, 1_000_000] {
        numbers.extend((0..=9).map(|tenth| format!("{whole}.{tenth}")));
        numbers.extend((0..=99).map(|part| format!("{whole}.{part:02}")));
        numbers
            .extend([1, 5, 10, 11, 12, 21, 100, 111, 999].map(|part| format!("{whole}.{part:03}")));
    }
    numbers
}

/// At the most as many languages are not in the data of ICU4X, which has those that are used most.
const UNKNOWN_MAX: usize = 24;

#[test]
fn all_languages_are_as_icu_has_them() {
    let numbers = numbers();
    let (mut wrong, mut unknown) = (Vec::new(), Vec::new());
    for language in PluralRule::languages() {
        // What people write for `ja` is no language to others, and `tl` has another name there.
        let code = match language {
            "jp" => "ja",
            "tl" => "fil",
            code => code,
        };
        let locale: Locale = code.parse().expect("a language");
        let rules = PluralRules::try_new(locale.into(), PluralRuleType::Cardinal.into());
        let rules = rules.expect("the data is compiled in");
        let before = wrong.len();
        let mut is_known = false;
        for number in &numbers {
            let decimal: Decimal = number.parse().expect("a number");
            let operands = PluralOperands::from(&decimal);
            let theirs = match rules.category_for(operands) {
                Theirs::Zero => PluralCategory::Zero,
                Theirs::One => PluralCategory::One,
                Theirs::Two => PluralCategory::Two,
                Theirs::Few => PluralCategory::Few,
                Theirs::Many => PluralCategory::Many,
                Theirs::Other => PluralCategory::Other,
            };
            is_known |= theirs != PluralCategory::Other;
            let ours = category(language, number);
            if ours != theirs && wrong.len() < before + 5 {
                wrong.push(format!("{number} in {language}: {ours}, and {theirs} by ICU"));
            }
        }
        if !is_known && wrong.len() > before {
            wrong.truncate(before);
            unknown.push(language);
        }
    }
    assert!(wrong.is_empty(), "the first of each language: {wrong:#?}");
    assert!(unknown.len() <= UNKNOWN_MAX, "{} are not compared: {unknown:?}", unknown.len());
}
