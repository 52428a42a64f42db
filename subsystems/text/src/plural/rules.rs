//! The rules, as CLDR has them.
//!
//! In the words of UTS 35: i is `whole`, v `digits`, f `fraction`, t `trimmed`, and n is the number,
//! which is compared only where it is whole.

use super::PluralCategory::{Few, Many, One, Other, Two, Zero};
use super::{Operands, PluralCategory, PluralRule};

pub(super) fn category(rule: PluralRule, of: &Operands) -> PluralCategory {
    match rule {
        PluralRule::Japanese => Other,
        PluralRule::English
        | PluralRule::Greek
        | PluralRule::Hindi
        | PluralRule::Punjabi
        | PluralRule::Armenian
        | PluralRule::Danish
        | PluralRule::Icelandic
        | PluralRule::Macedonian
        | PluralRule::Tagalog
        | PluralRule::Sinhala => {
            if is_one(rule, of) {
                One
            } else {
                Other
            }
        }
        PluralRule::French | PluralRule::Spanish | PluralRule::Italian => romance(rule, of),
        PluralRule::Latvian | PluralRule::Lithuanian => baltic(rule, of),
        PluralRule::Serbian
        | PluralRule::Slovenian
        | PluralRule::Czech
        | PluralRule::Polish
        | PluralRule::Russian
        | PluralRule::Belarusian => slavic(rule, of),
        PluralRule::Gaelic | PluralRule::Irish | PluralRule::Welsh | PluralRule::Breton => {
            celtic(rule, of)
        }
        PluralRule::Hebrew | PluralRule::Arabic | PluralRule::Maltese => semitic(rule, of),
        PluralRule::Sami => match of.integer() {
            Some(1) => One,
            Some(2) => Two,
            _ => Other,
        },
        PluralRule::Romanian => match (of.whole(), of.digits()) {
            (1, 0) => One,
            (0, 0) => Few,
            (whole, 0) if (1..=19).contains(&(whole % 100)) => Few,
            (_, 0) => Other,
            _ => Few,
        },
    }
}

/// The languages that have one form for some numbers, and another for all others.
fn is_one(rule: PluralRule, of: &Operands) -> bool {
    let (whole, digits, fraction, trimmed) = (of.whole(), of.digits(), of.fraction(), of.trimmed());
    let ends_in_one = |number: u64| number % 10 == 1 && number % 100 != 11;
    match rule {
        PluralRule::English => (whole, digits) == (1, 0),
        PluralRule::Greek => of.integer() == Some(1),
        PluralRule::Hindi => whole == 0 || of.integer() == Some(1),
        PluralRule::Punjabi => matches!(of.integer(), Some(0 | 1)),
        PluralRule::Armenian => whole <= 1,
        PluralRule::Danish => of.integer() == Some(1) || (trimmed != 0 && whole <= 1),
        PluralRule::Icelandic => match trimmed {
            0 => ends_in_one(whole),
            _ => ends_in_one(trimmed),
        },
        PluralRule::Macedonian => (digits == 0 && ends_in_one(whole)) || ends_in_one(fraction),
        PluralRule::Tagalog => match digits {
            0 => matches!(whole, 1..=3) || !matches!(whole % 10, 4 | 6 | 9),
            _ => !matches!(fraction % 10, 4 | 6 | 9),
        },
        PluralRule::Sinhala => matches!(of.integer(), Some(0 | 1)) || (whole == 0 && fraction == 1),
        _ => false,
    }
}

fn romance(rule: PluralRule, of: &Operands) -> PluralCategory {
    let (whole, digits) = (of.whole(), of.digits());
    let is_one = match rule {
        PluralRule::French => whole <= 1,
        PluralRule::Spanish => of.integer() == Some(1),
        _ => (whole, digits) == (1, 0),
    };
    if is_one {
        One
    } else if whole != 0 && whole.is_multiple_of(1_000_000) && digits == 0 {
        Many
    } else {
        Other
    }
}

fn baltic(rule: PluralRule, of: &Operands) -> PluralCategory {
    let (digits, fraction) = (of.digits(), of.fraction());
    let is_teen = |number: u64| (11..=19).contains(&(number % 100));
    if rule == PluralRule::Lithuanian {
        return match of.integer() {
            Some(number) if number % 10 == 1 && !is_teen(number) => One,
            Some(number) if number % 10 >= 2 && !is_teen(number) => Few,
            _ if fraction != 0 => Many,
            _ => Other,
        };
    }
    let ends_in_one = |number: u64| number % 10 == 1 && number % 100 != 11;
    let is_zero = of.integer().is_some_and(|number| number.is_multiple_of(10) || is_teen(number));
    if is_zero || (digits == 2 && is_teen(fraction)) {
        return Zero;
    }
    let is_one = of.integer().is_some_and(ends_in_one)
        || match digits {
            2 => ends_in_one(fraction),
            _ => fraction % 10 == 1,
        };
    if is_one { One } else { Other }
}

fn slavic(rule: PluralRule, of: &Operands) -> PluralCategory {
    let (whole, digits, fraction) = (of.whole(), of.digits(), of.fraction());
    let ends_in_one = |number: u64| number % 10 == 1 && number % 100 != 11;
    let is_few =
        |number: u64| (2..=4).contains(&(number % 10)) && !(12..=14).contains(&(number % 100));
    match rule {
        PluralRule::Serbian => {
            let is = |of: fn(u64) -> bool| (digits == 0 && of(whole)) || of(fraction);
            if is(ends_in_one) {
                One
            } else if is(is_few) {
                Few
            } else {
                Other
            }
        }
        PluralRule::Slovenian => match (whole % 100, digits) {
            (1, 0) => One,
            (2, 0) => Two,
            (3..=4, 0) => Few,
            (_, 0) => Other,
            _ => Few,
        },
        PluralRule::Czech => match (whole, digits) {
            (1, 0) => One,
            (2..=4, 0) => Few,
            (_, 0) => Other,
            _ => Many,
        },
        PluralRule::Polish if (whole, digits) == (1, 0) => One,
        PluralRule::Russian if digits == 0 && ends_in_one(whole) => One,
        PluralRule::Polish | PluralRule::Russian => match digits {
            0 if is_few(whole) => Few,
            0 => Many,
            _ => Other,
        },
        // Belarusian looks at the number, whatever zeros it is shown with.
        _ => match of.integer() {
            Some(number) if ends_in_one(number) => One,
            Some(number) if is_few(number) => Few,
            Some(_) => Many,
            None => Other,
        },
    }
}

fn celtic(rule: PluralRule, of: &Operands) -> PluralCategory {
    let Some(number) = of.integer() else { return Other };
    match (rule, number) {
        (PluralRule::Gaelic, 1 | 11) => One,
        (PluralRule::Gaelic, 2 | 12) => Two,
        (PluralRule::Gaelic, 3..=10 | 13..=19) => Few,
        (PluralRule::Irish | PluralRule::Welsh, 1) => One,
        (PluralRule::Irish | PluralRule::Welsh, 2) => Two,
        (PluralRule::Irish, 3..=6) | (PluralRule::Welsh, 3) => Few,
        (PluralRule::Irish, 7..=10) | (PluralRule::Welsh, 6) => Many,
        (PluralRule::Welsh, 0) => Zero,
        (PluralRule::Breton, _) => match (number % 10, number % 100 / 10) {
            // In the seventies, the nineties and from ten to nineteen the ones are in another word.
            (1, tens) if !matches!(tens, 1 | 7 | 9) => One,
            (2, tens) if !matches!(tens, 1 | 7 | 9) => Two,
            (3 | 4 | 9, tens) if !matches!(tens, 1 | 7 | 9) => Few,
            _ if number != 0 && number.is_multiple_of(1_000_000) => Many,
            _ => Other,
        },
        _ => Other,
    }
}

fn semitic(rule: PluralRule, of: &Operands) -> PluralCategory {
    if rule == PluralRule::Hebrew {
        return match (of.whole(), of.digits()) {
            (1, 0) => One,
            (2, 0) => Two,
            (0, digits) if digits > 0 => One,
            _ => Other,
        };
    }
    match (rule, of.integer()) {
        (PluralRule::Arabic, Some(0)) => Zero,
        (_, Some(1)) => One,
        (_, Some(2)) => Two,
        (PluralRule::Maltese, Some(0)) => Few,
        (PluralRule::Maltese, Some(number)) => match number % 100 {
            3..=10 => Few,
            11..=19 => Many,
            _ => Other,
        },
        (_, Some(number)) => match number % 100 {
            3..=10 => Few,
            11..=99 => Many,
            _ => Other,
        },
        (_, None) => Other,
    }
}
