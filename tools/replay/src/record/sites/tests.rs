//! Tests of names for addresses, with this very program's.

use std::fs;

use super::*;

fn name(sites: &mut Sites, site: u64, above: u64) -> u32 {
    let mut writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    sites.of(site, above, &mut writer).expect("a vector takes every write")
}

#[test]
fn functions_of_this_program_have_their_names() {
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux has it");
    let mut sites = Sites::new(&maps, None);
    let inside: fn() = functions_of_this_program_have_their_names;
    let (found, _) = sites.name(inside as usize as u64 + 1, 0);
    assert!(found.contains("!") && found.ends_with("+0x1"), "{found}");
    assert!(found.contains("functions_of_this_program_have_their_names"), "{found}");
    let (nowhere, _) = sites.name(16, 0);
    assert_eq!(nowhere, "0x10", "an address that nothing holds");
    let first = name(&mut sites, 16, 7);
    assert_eq!((name(&mut sites, 16, 8), sites.count()), (first, 1), "named once");
}

#[test]
fn lines_of_maps_are_read_the_last_copy_first() {
    let maps = "@00000000000000000001\n\
                1000-2000 r-xp 00000500 08:01 77 /lib/old one.so (deleted)\n\
                5000-6000 r-xp 00000000 00:00 0 [vdso]\n\
                8000-9000 r-xp 00000000 00:00 0\n\
                @00000000000000000099\n\
                1000-2000 r-xp 00000700 08:01 77 /no/such/new.so\n";
    let mut sites = Sites::new(maps, None);
    assert_eq!(sites.name(0x1001, 0).0, "/no/such/new.so+0x701");
    assert_eq!(sites.name(0x5004, 0).0, "[vdso]+0x4");
    assert_eq!(sites.name(0x8004, 0).0, "code made at run time+0x4");
    assert_eq!(range("1-2 r-xp 3 08:01 77 /a b").expect("a line").path, "/a b");
    assert!(range("@12").is_none() && range("").is_none() && range("x-y r-xp").is_none());
}
