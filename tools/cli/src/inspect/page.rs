//! The page of the inspector: one text that needs nothing outside itself.

use loligo_replay::report::design;

const TEMPLATE: &str = include_str!("page/page.html");

/// The style sheets in the order in which they apply.
const STYLES: [&str; 3] = [design::TOKENS, design::FRAME, include_str!("page/inspect.css")];

/// The scripts, each after those that it uses.
const SCRIPTS: [&str; 15] = [
    design::DOM,
    design::UNITS,
    design::THEME,
    include_str!("page/connection.js"),
    include_str!("page/canvas.js"),
    include_str!("page/frames.js"),
    include_str!("page/threads.js"),
    include_str!("page/memory.js"),
    include_str!("page/objects.js"),
    include_str!("page/sound.js"),
    include_str!("page/log.js"),
    include_str!("page/completion.js"),
    include_str!("page/console.js"),
    include_str!("page/screen.js"),
    include_str!("page/garbage.js"),
];

/// What begins it all.
const MAIN: &str = include_str!("page/main.js");

/// Returns the page. It is the same for every game: where the game is and its token come with the
/// address, after the number sign, which a browser sends to no server.
pub(super) fn page() -> String {
    let script = SCRIPTS.concat() + MAIN;
    TEMPLATE.replace("{{style}}", &STYLES.concat()).replace("{{script}}", &script)
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn the_page_needs_nothing_outside_itself() {
        let page = page();
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "it is whole");
        assert!(!page.contains("{{"), "no place of the template is empty");
        for outside in ["<link", "src=\"", "@import", "url(", "https://", "fetch(", "import("] {
            assert!(!page.contains(outside), "the page has `{outside}`");
        }
        let addresses = page.matches("http://").count();
        assert_eq!(addresses, page.matches("http://www.w3.org/2000/svg").count(), "a name space");
        for dangerous in ["innerHTML", "outerHTML", "document.write", "eval("] {
            assert!(!page.contains(dangerous), "`{dangerous}` reads text as markup or code");
        }
    }
}
