//! Tests of the column widths. The tests of the ledger, which can set its counters, cover the
//! contents of reports.

use std::string::ToString;

use super::{digits, plural};

#[test]
fn digits_are_those_that_are_written() {
    let powers = (0..20).map(|power| 10_u64.pow(power));
    for number in powers.flat_map(|power| [power - 1, power, power + 1]).chain([u64::MAX]) {
        assert_eq!(digits(number), number.to_string().len(), "{number}");
    }
}

#[test]
fn one_alone_has_no_s() {
    assert_eq!([0, 1, 2, usize::MAX].map(plural), ["s", "", "s", "s"]);
}
