//! Tests of the bounds.

use std::format;
use std::string::String;
use std::vec::Vec;

use super::{
    DECLARATIONS_MAX, ELSE_MAX, NESTING_MAX, OPERATORS_MAX, SHADER_BYTES_MAX, ShaderTextErrorKind,
    check_shader_text,
};

/// Returns what is wrong with the body of a function.
fn body(body: &str) -> Option<ShaderTextErrorKind> {
    check_shader_text(&format!("fn f() {{ {body} }}")).err().map(|error| error.kind)
}

#[test]
fn chains_are_refused_wherever_they_are() {
    use ShaderTextErrorKind::{Declarations, Else, Nesting, Operators};
    let n = 5000;
    let texts: Vec<(String, ShaderTextErrorKind)> = [
        (format!("let a = x{};", "+x".repeat(n)), Operators),
        (format!("let a = 1{};", "+1".repeat(n)), Operators),
        (format!("let a = 1{};", " + 1 // one\n".repeat(n)), Operators),
        (format!("let a = {}1;", "- ".repeat(n)), Operators),
        (format!("let a = {}true;", "!".repeat(n)), Operators),
        (format!("let a = x{};", ".xyzw".repeat(n)), Operators),
        (format!("let a = x{};", "[0]".repeat(n)), Operators),
        (format!("let a = x{};", "()".repeat(n)), Operators),
        (format!("let a = x{};", " && x".repeat(n)), Operators),
        (format!("let a = x{};", " < x".repeat(n)), Nesting),
        (format!("let a = x{};", " > x".repeat(n)), Operators),
        (format!("let a = x{};", " << x".repeat(n)), Operators),
        (format!("let a = {}1{};", "(".repeat(n), ")".repeat(n)), Nesting),
        (format!("let a = {}1{};", "f(1, ".repeat(n), ")".repeat(n)), Nesting),
        (format!("let a = {}0{};", "x[".repeat(n), "]".repeat(n)), Nesting),
        (format!("var a: {}f32{};", "array<".repeat(n), ">".repeat(n)), Nesting),
        (format!("var a: {}f32{};", "ptr<function, ".repeat(n), ">".repeat(n)), Nesting),
        (format!("{}{}", "{".repeat(n), "}".repeat(n)), Nesting),
        (format!("if a {{}} {}", "else if a {} ".repeat(n)), Else),
        (format!("if a {{}} {}", "/* b */ else {} ".repeat(n)), Else),
        // Deep in both ways.
        (format!("let a = {}1{};", "(1+".repeat(60), ")+1".repeat(200)), Operators),
        (format!("let a = ({0})+({0})+({0});", format_args!("1{}", "+1".repeat(100))), Operators),
    ]
    .into();
    for (text, kind) in texts {
        assert_eq!(body(&text), Some(kind), "{}", &text[..40.min(text.len())]);
    }
    let globals = |text: String| check_shader_text(&text).err().map(|error| error.kind);
    assert_eq!(globals("const a = 1;".repeat(n)), Some(Declarations));
    assert_eq!(globals("fn a() {}".repeat(n)), Some(Declarations));
    assert_eq!(globals(" ".repeat(SHADER_BYTES_MAX + 1)), Some(ShaderTextErrorKind::Bytes));
}

#[test]
fn what_is_long_and_not_deep_is_accepted() {
    let n = 5000;
    for text in [
        format!("let a = array<f32, 5000>({});", "1.5 + 2.0, ".repeat(n)),
        format!("let a = array(\n{});", "vec3<f32>(-1.0, x.y, f(2)), ".repeat(n)),
        "let a = x + y * -z.xyz[0];".repeat(n),
        "if a < b && b > c { x += 1; } else if b < c { } else { }".repeat(n),
        "for (var i = 0; i < 4; i++) { if (i <= 3) { continue; } }".repeat(n),
        format!("{}(+ {} let a = 1;", "/*".repeat(n), "*/".repeat(n)),
        format!("let a = 1; // {}", "+1".repeat(n)),
        format!("let a = 1; /* {} */", "(".repeat(n)),
    ] {
        assert_eq!(body(&text), None, "{}", &text[..60]);
    }
    let members = format!("struct S {{ {} }}", "@location(0) a: vec4<f32>, ".repeat(n));
    assert_eq!(check_shader_text(&members), Ok(()));
}

#[test]
fn the_bounds_are_where_they_are_said_to_be() {
    let operators = |count: usize| body(&format!("let a = 1{};", "+1".repeat(count)));
    // The `=` is one.
    assert_eq!(operators(OPERATORS_MAX as usize - 1), None);
    assert_eq!(operators(OPERATORS_MAX as usize), Some(ShaderTextErrorKind::Operators));
    let nesting = |count: usize| body(&format!("f({}{});", "(".repeat(count), ")".repeat(count)));
    // The block and the call are two.
    assert_eq!(nesting(NESTING_MAX - 2), None);
    assert_eq!(nesting(NESTING_MAX - 1), Some(ShaderTextErrorKind::Nesting));
    let branches = |count: usize| body(&format!("if a {{}}{}", " else if b {}".repeat(count)));
    assert_eq!(branches(ELSE_MAX as usize), None);
    assert_eq!(branches(ELSE_MAX as usize + 1), Some(ShaderTextErrorKind::Else));
    let globals = |count: u32| check_shader_text(&"const a = 1;".repeat(count as usize));
    assert_eq!(globals(DECLARATIONS_MAX), Ok(()));
    assert!(globals(DECLARATIONS_MAX + 1).is_err());
    let error = check_shader_text(&"fn a() {}\n".repeat(2000)).expect_err("too many");
    assert_eq!(error.at, 1024 * 10 + 8, "where the first one too many ends");
}

#[test]
fn any_bytes_are_read_to_their_end() {
    for text in [
        "}}}",
        ")))>>>]]]",
        "((([[[{{{<<<",
        "a<b<c<d;>>>",
        "else else }",
        "/*",
        "/",
        "a<",
        "\u{0}é<ü>",
    ] {
        assert_eq!(check_shader_text(text), Ok(()), "{text}");
    }
}
