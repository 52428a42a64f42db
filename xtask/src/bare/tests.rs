//! Tests of taking the operating system away.

use super::*;

#[test]
fn code_for_linux_drops_out_and_code_for_the_rest_stays() {
    let text = "#[cfg(target_os = \"linux\")]\n#[cfg(not(target_os = \"linux\"))]\n".to_owned();
    let bare = without_system(text);
    assert_eq!(bare.matches("linux").count(), 0);
    assert_eq!(bare.matches("target_os = \"none\"").count(), 2);
}

#[test]
fn code_for_unix_drops_out_too() {
    let text =
        "#[cfg(unix)]\n#[cfg(any(unix, windows))]\n#[cfg(all(a, unix))]\n#[cfg(not(unix))]\n";
    let bare = without_system(text.to_owned());
    assert_eq!(bare.matches("unix").count(), 0, "{bare}");
    assert_eq!(bare.matches("target_os = \"none\"").count(), 4, "{bare}");
}
