//! Shaders that are long and flat, and as deep as is allowed, on a stack of 2 MiB as a worker has.

use std::thread;

use super::Place;

/// The stack of a thread where nothing else is said.
const STACK_BYTES: usize = 2 << 20;

/// Returns a shader with a body of its function for pixels, and what else is needed.
fn shader(globals: &str, body: &str) -> String {
    format!(
        "{globals}
@vertex fn vs_main(@location(0) p: vec3<f32>) -> @builtin(position) vec4<f32> {{ return vec4(p, 1.0); }}
@fragment fn fs_main(@location(0) x: vec4<f32>) -> @location(0) vec4<f32> {{
{body}
return x; }}
"
    )
}

/// Compiles a shader on a small stack, and returns what is wrong.
fn compile(text: &str) -> Vec<String> {
    let text = text.to_owned();
    let compile = move || {
        let place = Place::with(&[("a.shader", text.as_bytes())]);
        place.compile_here().errors.iter().map(ToString::to_string).collect()
    };
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(compile);
    thread.expect("there is a thread").join().expect("it does not panic")
}

#[test]
fn chains_that_overflowed_the_stack_are_errors_with_their_place() {
    let n = 20_000;
    for (globals, body, said) in [
        (String::new(), format!("let a = x{};", "+x".repeat(n)), "operators in each other"),
        (String::new(), format!("let a = 1{};", "+1".repeat(n)), "operators in each other"),
        (String::new(), format!("let a = {}1;", "- ".repeat(n)), "operators in each other"),
        (String::new(), format!("let a = x{};", ".xyzw".repeat(n)), "operators in each other"),
        (String::new(), format!("let a = x{};", "[0]".repeat(n)), "operators in each other"),
        (
            String::new(),
            format!("if true {{}} {}", "else if true {} ".repeat(n)),
            "branches of `else`",
        ),
        (
            (0..n).map(|at| format!("const c{at} = c{};\n", at + 1)).collect::<String>(),
            String::new(),
            "declarations",
        ),
    ] {
        let errors = compile(&shader(&globals, &body));
        let [error] = &errors[..] else { panic!("one error: {errors:?}") };
        assert!(error.starts_with("a.shader:") && error.contains(said), "{error}");
        assert!(error.contains("more than ") && error.contains("; "), "{error}");
    }
}

#[test]
fn what_is_as_deep_as_is_allowed_is_compiled() {
    let chain = "const c1000 = 1;\n".to_owned();
    let chain = (0..1000).fold(chain, |all, at| all + &format!("const c{at} = c{};\n", at + 1));
    for (globals, body) in [
        (String::new(), format!("let a = x{};", "+x".repeat(250))),
        (String::new(), format!("let a = 1{};", "+1".repeat(250))),
        (String::new(), format!("let a = x{};", ".xyzw".repeat(250))),
        (String::new(), format!("let a = {}1{};", "(".repeat(60), ")".repeat(60))),
        (String::new(), format!("let a = {}1{};", "(1+".repeat(60), ")".repeat(60))),
        (String::new(), format!("if true {{}} {}", "else if true {} ".repeat(127))),
        (String::new(), format!("{}{}", "{".repeat(60), "}".repeat(60))),
        (chain, String::new()),
    ] {
        let errors = compile(&shader(&globals, &body));
        assert_eq!(errors, [""; 0], "{}", &body[..body.len().min(60)]);
    }
}
