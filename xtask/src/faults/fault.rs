//! A planted fault as it is written down: what it is, where, and which nets must catch it.

use super::net::Net;
use crate::outcome::Failure;
use crate::tree::Tree;

/// Where the faults are kept, one a file.
pub(super) const FOLDER: &str = "xtask/planted/";

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Its name, which is that of its file.
    pub(super) name: String,
    /// The class of mistakes that it represents.
    pub(super) class: String,
    /// What is wrong then.
    pub(super) says: String,
    /// The file that it is planted in.
    pub(super) file: String,
    /// The text that it replaces, which the file holds once.
    pub(super) find: String,
    /// The text that replaces it.
    pub(super) put: String,
    /// What must catch it.
    pub(super) nets: Vec<Net>,
    /// A number that is another after any change of it.
    pub(super) mark: String,
}

impl Fault {
    /// Reads all faults, in the order of their names.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if one is not written as it should be.
    pub(super) fn all(tree: &Tree) -> Result<Vec<Self>, Failure> {
        let files = tree.texts().filter_map(|(path, text)| {
            let name = path.strip_prefix(FOLDER)?.strip_suffix(".txt")?;
            Some(Self::read(name, text))
        });
        files.collect()
    }

    /// Reads one.
    pub(super) fn read(name: &str, text: &str) -> Result<Self, Failure> {
        let wrong =
            |line: usize, what: &str| Failure::Found(format!("{FOLDER}{name}.txt:{line}: {what}"));
        let mut fields: [Option<String>; 3] = [const { None }; 3];
        let mut blocks: [Option<String>; 2] = [const { None }; 2];
        let mut nets = Vec::new();
        let mut open = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(code) = line.strip_prefix('|') {
                let Some(block) = open else {
                    return Err(wrong(number, "a line of code comes after `find:` or `put:`"));
                };
                let block: &mut Option<String> = &mut blocks[block];
                match block {
                    Some(text) => {
                        text.push('\n');
                        text.push_str(code);
                    }
                    None => *block = Some(code.to_owned()),
                }
                continue;
            }
            open = None;
            let Some((key, value)) = line.split_once(':') else {
                return Err(wrong(number, "a line is `key: value`, or code after `|`"));
            };
            let value = value.trim();
            match key {
                "class" => fields[0] = Some(value.to_owned()),
                "says" => fields[1] = Some(value.to_owned()),
                "file" => fields[2] = Some(value.to_owned()),
                "find" => open = Some(0),
                "put" => open = Some(1),
                "net" => nets.push(Net::read(value).map_err(|what| wrong(number, &what))?),
                _ => {
                    return Err(wrong(number, "the keys are class, says, file, find, put and net"));
                }
            }
        }
        let [Some(class), Some(says), Some(file)] = fields else {
            return Err(wrong(1, "class, says and file are needed"));
        };
        let [Some(find), put] = blocks else {
            return Err(wrong(1, "the text to find is missing"));
        };
        let put = put.unwrap_or_default();
        if find == put {
            return Err(wrong(1, "nothing is changed"));
        }
        if nets.is_empty() {
            return Err(wrong(1, "no net is named"));
        }
        Ok(Self { name: name.to_owned(), class, says, file, find, put, nets, mark: mark(text) })
    }

    /// Returns the text of its file with the fault in it.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if the text to replace does not occur there exactly once.
    pub(super) fn plant(&self, text: &str) -> Result<String, Failure> {
        match text.matches(&self.find).count() {
            1 => Ok(text.replacen(&self.find, &self.put, 1)),
            count => Err(Failure::Found(format!(
                "{FOLDER}{}.txt: {} holds the text to replace {count} times, not once; write down \
                 what is there now",
                self.name, self.file
            ))),
        }
    }
}

/// Returns the FNV-1a hash of a text, in 8 digits.
fn mark(text: &str) -> String {
    let step = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    format!("{:08x}", text.as_bytes().iter().fold(0x811c_9dc5, step))
}
