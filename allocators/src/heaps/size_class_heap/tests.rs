//! The size-class heap's core against a naive list of intervals, every page state, odd regions.

use core::mem::MaybeUninit;
use std::vec::Vec;
use std::{println, vec};

mod damage;
mod fast;
mod free_runs;
mod large;
mod medium;
mod mixed;
mod regions;

use super::block_size::bin_of;
use super::core_blocks::Fault;
use super::region::{Region, region_in};

#[test]
fn bins_ascend_and_are_exact_below_64() {
    let mut last = 0;
    for size in 1..100_000 {
        let bin = bin_of(size);
        assert!(bin >= last, "bin {bin} of {size} after {last}");
        assert!(size >= 64 || bin == size, "bin {bin} of {size}");
        last = bin;
    }
}

#[test]
fn regions_of_any_size_and_place_keep_inside_their_memory() {
    for bytes in (0..40_000).step_by(977) {
        for shift in [0, 1, 8, 100] {
            let mut memory = vec![MaybeUninit::<u8>::new(0xaa); bytes + 2 * shift];
            let inner = &mut memory[shift..shift + bytes];
            if let Some(region) = region_in(inner) {
                assert!(region.base.addr().is_multiple_of(4096), "pages are aligned");
                while region.take_block(7).is_ok() {}
                region.check_core().expect("the core is whole");
            } else {
                assert!(bytes < 16_384, "{bytes} bytes hold a page");
            }
            let untouched = |b: &MaybeUninit<u8>| {
                // SAFETY: every byte was initialised above.
                unsafe { b.assume_init() == 0xaa }
            };
            assert!(memory[..shift].iter().all(untouched), "wrote before the region");
            assert!(memory[shift + bytes..].iter().all(untouched), "wrote past the region");
        }
    }
}

fn free(region: &mut Region, block: u32, is_page: bool) {
    if is_page {
        region.set_kind(block / 256, 0);
    } else {
        region.clear_start(block);
    }
    let header = region.header(block).expect("a sound header");
    region.give_block(block, header).expect("sound neighbours");
}

/// Random takes, aligned takes, page takes, resizes and gives against a list of intervals.
#[test]
fn the_core_agrees_with_a_list_of_intervals() {
    for seed in 1..=20_u64 {
        println!("seed {seed}");
        let mut memory = vec![MaybeUninit::<u8>::uninit(); 200_000];
        let region = region_in(&mut memory).expect("the memory holds pages");
        let mut state = seed;
        let mut random = move |bound: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % bound
        };
        let mut live: Vec<(u32, u32, bool)> = Vec::new();
        for step in 0..1500 {
            let roll = random(10);
            let taken = match roll {
                0..=3 => region.take_block(1 + random(300)).map(|b| (b, false)),
                4 => region.take_aligned(1 + random(100), 32 << random(8)).map(|b| (b, false)),
                5 => region.take_pages(1, random(2) == 0).map(|page| {
                    region.set_kind(page, 1);
                    (page * 256, true)
                }),
                _ => Err(Fault::NoRoom),
            };
            if let Ok((block, is_page)) = taken {
                let size = region.header(block).expect("a sound header").size;
                let apart = live.iter().all(|&(b, s, _)| b + s <= block || block + size <= b);
                assert!(apart, "block {block} of {size} overlaps another");
                live.push((block, size, is_page));
            } else if roll > 5 && !live.is_empty() {
                let nth = random(live.len() as u32) as usize;
                let (block, size, is_page) = live[nth];
                if roll == 6 && !is_page {
                    let wanted = 1 + random(400);
                    if region.resize_block(block, wanted).is_ok() {
                        live[nth].1 = wanted;
                    } else {
                        assert!(wanted > size, "shrinking from {size} to {wanted} always fits");
                    }
                } else {
                    live.swap_remove(nth);
                    free(region, block, is_page);
                }
            }
            if step % 50 == 0 {
                region.check_core().expect("the core is whole");
            }
        }
        for (block, _, is_page) in live {
            free(region, block, is_page);
        }
        assert!(region.is_unused(), "everything merged into one block");
    }
}
