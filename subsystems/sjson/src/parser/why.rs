//! What each error says.

use crate::error::Why;

pub(super) static BYTES: Why = Why::new(
    "a text within the limit of bytes",
    "split it, or raise the limit (`Options::bytes_max`)",
);
pub(super) static DEPTH: Why = Why::new(
    "no more objects and arrays within each other",
    "the limit is `Options::depth_max`, 512 levels unless it is set",
);
pub(super) static VALUE: Why = Why::new("a value", "");
pub(super) static VALUE_BEFORE_END: Why =
    Why::new("a value", "give the key one, `null` perhaps, or take the key out");
pub(super) static WORD: Why = Why::new("a value", "put text in quotes");
pub(super) static CASE: Why =
    Why::new("a value", "the words are `true`, `false` and `null`, in small letters");
pub(super) static NOT_FINITE: Why =
    Why::new("a value", "numbers are finite: write `null`, or a string");
pub(super) static SINGLE_QUOTE: Why = Why::new("a value", "write double quotes");
pub(super) static JSON_COMMENT: Why =
    Why::new("a value", "JSON has no comments: take it out, or read it as SJSON");
pub(super) static JSON_MARK: Why = Why::new("a value", "save the JSON without a byte order mark");
pub(super) static COMMA: Why = Why::new("a comma or the end of the list", "");
pub(super) static ONE_COMMA: Why = Why::new("an item", "one comma between two is enough");
pub(super) static LAST_COMMA: Why =
    Why::new("no comma before the end of the list", "JSON has none there: take it out");
pub(super) static KEY: Why = Why::new("a key or `}`", "");
pub(super) static ROOT_KEY: Why =
    Why::new("a key or the end of the text", "nothing is open that a `}` could close");
pub(super) static QUOTED_KEY: Why = Why::new("a key in quotes", "");
pub(super) static KEY_LETTER: Why =
    Why::new("a letter or a digit of a key", "put the key in quotes");
pub(super) static KEY_LINES: Why =
    Why::new("a key on one line", "keys have one pair of quotes, and escapes");
pub(super) static COLON: Why = Why::new("`:` behind the key", "");
pub(super) static SEPARATOR: Why = Why::new("`=` or `:` behind the key", "");
pub(super) static NOTHING: Why = Why::new("the end of the text", "one document is one value");
pub(super) static TOO_MANY_ENDS: Why =
    Why::new("the end of the text", "nothing is open that this could close");
pub(super) static COMMENT: Why = Why::new("a value or a key", "a comment begins with `//` or `/*`");
pub(super) static COMMENT_END: Why = Why::new("a comment that ends", "close this one with `*/`");
pub(super) static QUOTE: Why = Why::new("a string that ends", "close this one with `\"`");
pub(super) static THREE_QUOTES: Why =
    Why::new("a string that ends", "close this one with `\"\"\"`");
pub(super) static CONTROL: Why =
    Why::new("a string without control characters", "write an escape: \\n, \\t, \\u0000");
pub(super) static LINE_IN_STRING: Why = Why::new(
    "a string on one line",
    "close it with `\"`, write \\n, or put text of many lines between `\"\"\"`",
);
pub(super) static ESCAPE: Why = Why::new(
    "an escape",
    "they are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u0000; write \\\\ for a backslash",
);
pub(super) static HEX: Why = Why::new("four hexadecimal digits behind \\u", "");
pub(super) static SURROGATE: Why =
    Why::new("a pair of surrogates", "write the character itself, or both its halves");
pub(super) static DIGIT: Why = Why::new("a digit", "");
pub(super) static LEADING_ZERO: Why =
    Why::new("no digit behind a leading 0", "take the 0 out; numbers are decimal");
pub(super) static FRACTION: Why = Why::new("a digit behind the point", "write `.0`");
pub(super) static PLUS: Why = Why::new("a value", "take the plus sign out");
pub(super) static POINT: Why = Why::new("a digit before the point", "write `0.`");
pub(super) static NUMBER_END: Why =
    Why::new("the end of the number", "put text in quotes; numbers are decimal");
