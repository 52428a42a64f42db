//! A stream of sound between a decoder that works in packets and a device that reads in periods,
//! through a ring; and the last volumes, for a meter that does not flicker.
//!
//! ```sh
//! cargo run -p loligo-containers --example ring_audio
//! ```
#![forbid(unsafe_code)]

use core::error::Error;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::Ring;

/// Samples of a packet of the decoder, which has nothing to do with those of the device.
const PACKET: usize = 1152;

/// Samples that the device asks for at once.
const PERIOD: usize = 512;

/// Decodes the next packet: a tone that swells.
fn decode(number: usize, packet: &mut [i16]) {
    for (index, sample) in packet.iter_mut().enumerate() {
        let time = number * PACKET + index;
        let wave = (time % 100) as i32 * 2 - 100;
        *sample = (wave * (time as i32 / 64)).clamp(-32_000, 32_000) as i16;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("sound", &pages);
    let mut samples: Ring<i16, _> = Ring::try_with_capacity(2 * PACKET, &heap)?;
    let mut volumes: Ring<u32, _> = Ring::try_with_capacity(8, &heap)?;
    let granted = heap.stats().granted_total;

    let (mut packets, mut played) = (0, 0_usize);
    println!("period  packets  waiting  in two pieces  volume  ");
    for period in 0..40 {
        // Enough for the device, whatever the sizes are.
        while samples.len() < PERIOD {
            let mut packet = [0; PACKET];
            decode(packets, &mut packet);
            samples.try_push_back_slice(&packet)?;
            packets += 1;
        }
        let (_, second) = samples.as_slices();
        let split = !second.is_empty();
        let mut out = [0; PERIOD];
        assert_eq!(samples.pop_front_slice(&mut out), PERIOD, "the ring had run dry");

        // What comes out is what went in, in order.
        let mut expected = [0; PACKET];
        decode(played / PACKET, &mut expected);
        assert_eq!(out[0], expected[played % PACKET], "period {period}");
        played += PERIOD;

        // The mean of the last eight peaks; the oldest is replaced, and nothing is allocated.
        volumes.push_over(out.iter().map(|sample| sample.unsigned_abs().into()).max().unwrap_or(0));
        let volume = volumes.iter().sum::<u32>() / volumes.len() as u32;
        if period % 3 == 0 {
            let bar = "#".repeat(volume as usize / 1000);
            let waiting = samples.len();
            println!("{period:6} {packets:8} {waiting:8} {split:>14} {volume:7}  {bar}");
        }
    }
    assert_eq!(heap.stats().granted_total, granted, "sound must not wait for memory");
    assert_eq!(packets * PACKET, played + samples.len(), "no sample is lost");
    Ok(())
}
