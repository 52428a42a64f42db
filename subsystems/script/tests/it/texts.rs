//! Functions of texts, sorting and loading: ours compared with Lua's own.

use loligo_script::Route;

use crate::memory::with_memory;
use crate::world::{World, machine, shown};

/// Joins what a call returns, or says that it failed.
const JOIN: &str = "local function joined(ok, ...)
    if not ok then return 'failed' end
    local all = {}
    for index = 1, select('#', ...) do all[index] = tostring((select(index, ...))) end
    return table.concat(all, '|')
end\n";

/// A generator of small numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..=self.below(most)).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

const PIECES: [&str; 26] = [
    "a", "b", "1", " ", ".", "%a", "%d", "%s", "%W", "%S", "[ab]", "[^a]", "[a-c1]", "[%d_]", "*",
    "+", "-", "?", "(", ")", "()", "%1", "^", "$", "%b()", "%f[%w]",
];

#[test]
fn patterns_match_as_luas_own_do() {
    let lua = mlua::Lua::new();
    let mut numbers = Numbers(0x10_11_60);
    with_memory(|memory| {
        let (mut script, mut world) = (machine(Route::Foreign, memory), World::default());
        let mut failed = 0;
        for case in 0..4000 {
            let text = numbers.text(&["a", "b", "1", " ", "(", ")", "_", "ab"], 10);
            let pattern = numbers.text(&PIECES, 6);
            let from = numbers.below(14) as i32 - 5;
            let replacement = ["<%1>", "%0%0", "x", "%%"][numbers.below(4)];
            let call = match numbers.below(5) {
                0 => format!("string.find, '{text}', '{pattern}', {from}"),
                1 => format!("string.match, '{text}', '{pattern}', {from}"),
                2 => format!("string.gsub, '{text}', '{pattern}', '{replacement}'"),
                3 => format!(
                    "string.gsub, '{text}', '{pattern}', function(...) return select('#', ...) .. '!' end, 3"
                ),
                _ => format!(
                    "function() local all = {{}} for a, b in string.gmatch('{text}', '{pattern}') do \
                     all[#all + 1] = tostring(a) .. tostring(b) end return table.concat(all, ',') end"
                ),
            };
            let code = format!("{JOIN}return joined(pcall({call}))");
            let theirs: String = lua.load(&code).eval().expect("it is Lua");
            let ours = shown(&mut script, &mut world, &code);
            let open = |pattern: &str| pattern.matches('(').count() > pattern.matches(')').count();
            if ours == "failed" && open(&pattern) {
                // Lua's own looks at captures without an end where they are asked for alone.
                continue;
            }
            assert_eq!(ours, theirs, "case {case}: {call}");
            failed += usize::from(theirs == "failed");
        }
        assert!((200..2600).contains(&failed), "{failed} of 4000 patterns are none");
    });
}

#[test]
fn sorting_and_formatting_and_loading_are_as_luas_own() {
    let lua = mlua::Lua::new();
    let mut numbers = Numbers(7);
    with_memory(|memory| {
        let (mut script, mut world) = (machine(Route::Foreign, memory), World::default());
        for count in (0..40).chain([100, 1000]) {
            let list: Vec<String> = (0..count).map(|_| numbers.below(50).to_string()).collect();
            for order in ["", ", function(a, b) return a > b end"] {
                let code = format!(
                    "local list = {{ {} }} table.sort(list{order}) return table.concat(list, ' ')",
                    list.join(", ")
                );
                let theirs: String = lua.load(&code).eval().expect("it is Lua");
                assert_eq!(shown(&mut script, &mut world, &code), theirs, "{code}");
            }
        }
        for code in [
            "string.format('%5.2f %s %d %q %x', 1.5, 'a', 3, 'q\\n', 255)",
            "string.format('%s %s', setmetatable({}, { __tostring = function() return 'me' end }), nil)",
            "('x'):rep(3) .. ('abc'):upper() .. ('abc'):find('b', 1, true)",
            "('a.b'):find('.', 2, true)",
            "(12345):rep and 1 or string.find(12345, 34)",
            "load(coroutine.wrap(function() coroutine.yield('return ') coroutine.yield('1 + 2') end))()",
            "select('#', load(function() return nil end))",
            "load('return x', 'chunk', 't', { x = 7 })()",
            "select(2, load('return +', '=text'))",
            "string.gsub('hello world', '%w+', { hello = 'bye' })",
            "string.gsub('abc', '', '-')",
            "select(2, pcall(string.rep))",
            "coroutine.wrap(function(...) return select('#', ...), coroutine.yield(1) end)(1, nil)",
            "select(2, xpcall(function() error('no', 0) end, function(why) return why .. '!' end))",
            "xpcall(function(...) return ... end, print, 1, 2)",
        ] {
            let joined = format!("{JOIN}return joined(true, {code})");
            let Ok(theirs) = lua.load(&joined).eval::<String>() else {
                assert!(shown(&mut script, &mut world, &joined).starts_with("error"), "{code}");
                continue;
            };
            assert_eq!(shown(&mut script, &mut world, &joined), theirs, "{code}");
        }
    });
}

#[test]
fn wrong_arguments_are_named_at_the_place_that_gave_them() {
    with_memory(|memory| {
        let (mut script, mut world) = (machine(Route::Foreign, memory), World::default());
        for (code, said) in [
            (
                "string.find(nil, 'a')",
                "console:1: bad argument #1 to 'find' (string expected, got no value)",
            ),
            (
                "('a'):match({})",
                "console:1: bad argument #2 to 'match' (string expected, got table)",
            ),
            (
                "('a'):gsub('a', true)",
                "bad argument #3 to 'gsub' (string/function/table expected, got boolean)",
            ),
            ("('a'):gsub('a', function() return {} end)", "invalid replacement value (a table)"),
            ("('a'):find('[a')", "console:1: malformed pattern (missing `]`)"),
            (
                "(function() table.sort(1) end)()",
                "console:1: bad argument #1 to 'sort' (table expected, got number)",
            ),
            ("(function() table.sort({ 1, 'a', 2 }) end)()", "attempt to compare"),
        ] {
            // A call in the tail would leave no place.
            let shown = shown(&mut script, &mut world, &format!("local _ = {code}"));
            assert!(shown.contains(said), "{code}: {shown}");
        }
    });
}
