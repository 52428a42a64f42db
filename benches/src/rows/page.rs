//! The page allocator's rows.

use loligo_allocators::PageAllocator;

use crate::blocks::{Blocks, Ours};
use crate::contender::{Contender, Race};
use crate::memory::PAGES;
use crate::outcome::Aim;
use crate::peers::bare_mmap::BareMmap;
use crate::rows::{Measure, Row, Unit};
use crate::work::mappings;

/// Pages that are to be huge where they can be.
static HUGE_PAGES: PageAllocator = PageAllocator::new("benches, huge pages").with_huge_pages();

/// Returns the page allocator's rows.
#[must_use]
pub fn rows() -> Vec<Row> {
    let aim = Aim::over_peer(1.05, 1.02);
    vec![
        Row::new("page/large", Unit::Us, aim, Measure::Race(small_pages)),
        Row::new("page/large/huge", Unit::Us, aim, Measure::Race(huge_pages)),
    ]
}

/// Returns a contender that maps, touches and unmaps.
fn sweeping(name: &'static str, mut allocator: impl Blocks + 'static) -> Contender {
    Contender::new(name, move || mappings::sweep(&mut allocator))
}

fn small_pages() -> Race {
    Race {
        ours: sweeping("page", Ours(&PAGES)),
        peers: vec![sweeping("bare mmap", BareMmap { huge: false })],
        absent: Vec::new(),
    }
}

fn huge_pages() -> Race {
    Race {
        ours: sweeping("page", Ours(&HUGE_PAGES)),
        peers: vec![sweeping("bare mmap", BareMmap { huge: true })],
        absent: Vec::new(),
    }
}
