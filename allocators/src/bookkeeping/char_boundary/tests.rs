//! Tests of cutting, against the functions of `str`.

use super::{ceil, floor};

#[test]
fn a_cut_is_where_str_has_it() {
    for text in ["", "a", "abc", "é", "aé", "é€a", "a𝄞b"] {
        for at in 0..=text.len() {
            assert_eq!(floor(text, at), text.floor_char_boundary(at), "{text} at {at}");
            assert_eq!(ceil(text, at), text.ceil_char_boundary(at), "{text} at {at}");
        }
        assert_eq!(floor(text, text.len() + 7), text.len(), "{text} past its end");
    }
}
