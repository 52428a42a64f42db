//! Tests of telling a caught fault from a missed one.

use super::*;

const ACCESS: [&str; 2] = ["Invalid read", "Invalid write"];

fn judged(succeeded: bool, said: &str) -> Result<(), String> {
    judge(&ACCESS, &Run { succeeded, said: said.into() })
}

#[test]
fn a_report_of_the_address_counts() {
    let said =
        "touches 0x4a60e88\n== Invalid read of size 1\n== Address 0x4A60E88 is 88 bytes inside";
    assert_eq!(judged(false, said), Ok(()));
    let said = "touches 0xf6b1b0f8000\nInvalid write\non address 0x0f6b1b0f8000 at pc 0x1";
    assert_eq!(judged(false, said), Ok(()), "zeros in front do not matter");
}

#[test]
fn nothing_less_counts() {
    let report = "touches 0x10\nInvalid read at address 0x10";
    assert!(judged(true, report).is_err(), "the program must fail");
    assert!(judged(false, "touches 0x10\nSegmentation fault at 0x10").is_err(), "another end");
    assert!(judged(false, "touches 0x10\nInvalid read at 0x18").is_err(), "another address");
    assert!(
        judged(false, "touches 0x10\nInvalid read").is_err(),
        "what the program prints is not a report"
    );
    assert!(judged(false, "Invalid read at 0x10").is_err(), "it printed no address");
}
