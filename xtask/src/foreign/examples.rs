//! Examples in a peer's documentation, each as the documentation of a function that has its name.

/// An example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// The file, the line and the item: `lib_l12_alloc`.
    pub(super) name: String,
    /// Its lines, the fences included.
    text: Vec<String>,
}

impl Example {
    /// Returns the function, with the example before it, which may need an edition of its own.
    pub(super) fn function(&self, edition: Option<&str>) -> String {
        let mut lines: String = self.text.iter().map(|line| format!("///{line}\n")).collect();
        if let (Some(edition), Some(end)) = (edition, lines.find('\n')) {
            lines.insert_str(end, &format!(",edition{edition}"));
        }
        format!("{lines}pub fn {}() {{}}\n\n", self.name)
    }
}

/// Returns the examples in a source file whose name without its end is `file`.
pub(super) fn of(file: &str, source: &str) -> Vec<Example> {
    let lines: Vec<&str> = source.lines().map(str::trim_start).collect();
    let mut examples = Vec::new();
    let mut open: Option<(usize, Vec<String>)> = None;
    for (index, line) in lines.iter().enumerate() {
        let Some(text) = doc(line) else {
            // A comment that is not documentation may be in the middle of it.
            if !line.starts_with("//") {
                open = None;
            }
            continue;
        };
        let is_fence = text.trim_start().starts_with("```");
        match &mut open {
            None if is_fence => open = Some((index + 1, vec![text.to_owned()])),
            None => {}
            Some((_, kept)) if !is_fence => kept.push(text.to_owned()),
            Some((number, kept)) => {
                kept.push(text.to_owned());
                let name = format!("{file}_l{number}_{}", item(&lines[index..]));
                examples.push(Example { name, text: core::mem::take(kept) });
                open = None;
            }
        }
    }
    examples
}

/// Returns the text of a line of documentation.
fn doc(line: &str) -> Option<&str> {
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    // Four slashes are a comment.
    (!text.starts_with('/')).then_some(text)
}

/// Returns the name of the item that follows documentation.
fn item(lines: &[&str]) -> String {
    if lines.first().is_some_and(|line| line.starts_with("//!")) {
        return "module".into();
    }
    let is_code = |line: &&&str| !line.starts_with("//") && !line.starts_with('#');
    let line = lines.iter().find(is_code).copied().unwrap_or_default();
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut words = words.filter(|word| !word.is_empty());
    let kinds = ["fn", "struct", "enum", "trait", "type", "macro_rules", "mod", "impl", "use"];
    let _ = words.find(|word| kinds.contains(word));
    words.next().unwrap_or("item").to_owned()
}
