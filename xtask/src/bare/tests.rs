//! Tests of taking the operating system away.

use super::*;

#[test]
fn code_for_linux_drops_out_and_code_for_the_rest_stays() {
    let text = "#[cfg(target_os = \"linux\")]\n#[cfg(not(target_os = \"linux\"))]\n".to_owned();
    let bare = without_system(text);
    assert_eq!(bare.matches("linux").count(), 0);
    assert_eq!(bare.matches("target_os = \"none\"").count(), 2);
}
