//! The functions of a program or library.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use rustc_demangle::demangle;

/// The function that a return address is in, and the offset there.
pub(super) struct Place {
    /// `LIBRARY!FUNCTION+OFFSET`, or `LIBRARY+OFFSET` where no symbol names the function.
    pub(super) name: String,
    /// Whether it is in C++'s `new`, which is not the call site.
    pub(super) is_wrapper: bool,
    /// Whether the instruction before it is a call, as it is for every real return address.
    pub(super) is_after_call: bool,
    /// Whether there is a file, in which that can be seen.
    pub(super) is_in_file: bool,
}

/// A file with its functions.
pub(super) struct Library {
    name: String,
    map: Mmap,
    segments: Vec<Segment>,
    /// By address, one for each.
    functions: Vec<Function>,
}

struct Segment {
    offset: u64,
    bytes: u64,
    address: u64,
}

struct Function {
    address: u64,
    bytes: u64,
    name: String,
}

impl Library {
    /// Reads the symbols of a file; `None` if it is not an object file, or no longer exists.
    pub(super) fn open(path: &str) -> Option<Self> {
        let map = super::files::map(&File::open(path).ok()?).ok()?;
        let name = Path::new(path).file_name()?.to_string_lossy().into_owned();
        let file = object::File::parse(&map[..]).ok()?;
        let segments = file.segments().map(|segment| {
            let (offset, bytes) = segment.file_range();
            Segment { offset, bytes, address: segment.address() }
        });
        let segments = segments.collect();
        let symbols = file.symbols().chain(file.dynamic_symbols());
        let mut functions: Vec<_> = symbols
            .filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text)
            .filter_map(|symbol| {
                let name = symbol.name().ok().filter(|name| !name.is_empty())?.to_owned();
                Some(Function { address: symbol.address(), bytes: symbol.size(), name })
            })
            .collect();
        // Of several names of one function the shortest, so that it is always the same.
        functions.sort_by(|a, b| {
            (a.address, a.name.len(), &a.name).cmp(&(b.address, b.name.len(), &b.name))
        });
        functions.dedup_by_key(|function| function.address);
        Some(Self { name, map, segments, functions })
    }

    /// Names the place at an offset in the file.
    pub(super) fn place(&self, offset: u64) -> Place {
        let is_after_call = self.is_after_call(offset);
        let address = self.address(offset).unwrap_or(offset);
        let library = &self.name;
        let Some(function) = self.function(address) else {
            let name = format!("{library}+{address:#x}");
            return Place { name, is_wrapper: false, is_after_call, is_in_file: true };
        };
        let into = address - function.address;
        // Without the hash at the end of a Rust name; names of other languages stay as they are.
        let name = format!("{library}!{:#}+{into:#x}", demangle(&function.name));
        let is_wrapper = ["_Znw", "_Zna"].iter().any(|new| function.name.starts_with(new));
        Place { name, is_wrapper, is_after_call, is_in_file: true }
    }

    /// Returns where an offset in the file is in memory, as the file's own addresses go.
    fn address(&self, offset: u64) -> Option<u64> {
        let inside = |segment: &&Segment| {
            offset.checked_sub(segment.offset).is_some_and(|into| into <= segment.bytes)
        };
        let segment = self.segments.iter().find(inside)?;
        Some(offset - segment.offset + segment.address)
    }

    /// Returns the function that a return address is in: the call before it does.
    fn function(&self, address: u64) -> Option<&Function> {
        let call = address.checked_sub(1)?;
        let next = self.functions.partition_point(|function| function.address <= call);
        let function = self.functions.get(next.checked_sub(1)?)?;
        // Hand-written functions may have no size.
        (function.bytes == 0 || call - function.address < function.bytes).then_some(function)
    }

    /// Returns `true` if the bytes before a place may be a call of x86-64: `e8` with four bytes, or
    /// `ff /2` with what it takes.
    fn is_after_call(&self, offset: u64) -> bool {
        let Ok(offset) = usize::try_from(offset) else { return false };
        let before = |back: usize| {
            offset.checked_sub(back).and_then(|at| self.map.get(at)).copied().unwrap_or(0)
        };
        let by_register = |back| before(back) == 0xff && before(back - 1) >> 3 & 7 == 2;
        before(5) == 0xe8 || [2, 3, 4, 6, 7].into_iter().any(by_register)
    }
}
