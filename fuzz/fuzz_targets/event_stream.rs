//! Streams of events from any bytes, two of them: refused, or read, appended, merged and opened
//! again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_containers::{EventReader, EventStream};
use loligo_fuzz::{events, limited};

fuzz_target!(|bytes: &[u8]| {
    let Some((&split, bytes)) = bytes.split_first() else { return };
    let (here, there) = bytes.split_at(usize::from(split) * 4 % (bytes.len() + 1));
    let streams = [here, there].map(|bytes| {
        EventReader::open(bytes).unwrap_or_else(|error| {
            assert!(error.offset <= bytes.len() as u64, "{error}");
            EventReader::open(&[]).expect("nothing is a stream")
        })
    });
    limited::within(1 << 20, |memory| {
        let records: usize = streams.iter().map(|stream| stream.iter().count()).sum();
        streams.iter().for_each(|stream| _ = std::hint::black_box(events::read_all(*stream)));
        let mut all: EventStream = EventStream::new_in(memory);
        all.append(streams[0]);
        all.append(streams[1]);
        let mut merged: EventStream = EventStream::new_in(memory);
        merged.try_merge(&streams, events::time_of).expect("there is memory");
        for stream in [&all, &merged] {
            stream.validate().expect("what was read is whole");
            assert_eq!(stream.iter().count(), records, "no event is lost, and none is new");
        }
        assert_eq!(all.as_bytes().len(), merged.as_bytes().len());
    });
});
