//! Records are read as they were written, and damaged ones are refused.

use super::*;

fn records() -> Vec<Record> {
    let hash = |text: &str| hash_of(text.as_bytes());
    let dependencies = vec![
        Dependency::File { path: "a.txt".into(), hash: Some(hash("a")) },
        Dependency::File { path: "b.txt".into(), hash: None },
        Dependency::Listing { path: "".into(), hash: Some(hash("c")) },
        Dependency::Listing { path: "in".into(), hash: None },
        Dependency::Option { name: "quality".into(), value: Some("high".into()) },
        Dependency::Option { name: "other".into(), value: None },
    ];
    let questions = dependencies.iter().map(Question::of).collect();
    let bytes = b"compiled".to_vec();
    let result = CachedResult {
        took: Duration::from_micros(1_234_567),
        output: Output { file: hash_of(&bytes), bytes: bytes.len() as u64 },
        inline: Some(bytes),
        dependencies,
        names: vec!["width".into()],
        references: vec![Reference {
            type_name: "mesh".into(),
            name: "units/door".into(),
            line: 3,
            column: 7,
        }],
    };
    let long = CachedResult { inline: None, ..result.clone() };
    vec![Record::Questions(questions), Record::Result(result), Record::Result(long)]
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let key = hash_of(b"key");
    for record in records() {
        assert_eq!(Record::from_bytes(key, &record.to_bytes(key)), Some(record));
    }
}

#[test]
fn a_changed_bit_a_cut_and_another_key_are_damage() {
    let key = hash_of(b"key");
    for record in records() {
        let bytes = record.to_bytes(key);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert_eq!(Record::from_bytes(key, &changed), None, "byte {at}");
            assert_eq!(Record::from_bytes(key, &bytes[..at]), None, "cut at {at}");
        }
        assert_eq!(Record::from_bytes(hash_of(b"other"), &bytes), None, "another key");
        let longer = [&*bytes, b"x"].concat();
        assert_eq!(Record::from_bytes(key, &longer), None, "a byte more");
    }
}

/// A hash can be right and the body wrong: the writer was another program.
#[test]
fn a_body_of_another_form_is_damage_though_its_hash_is_right() {
    let key = hash_of(b"key");
    let sealed = |body: &[u8]| {
        let mut bytes = Record::Questions(Vec::new()).to_bytes(key)[..BODY].to_vec();
        bytes[12..].copy_from_slice(&hash_of_pieces(&[&key.0, body]).0);
        bytes.extend_from_slice(body);
        bytes
    };
    assert_eq!(
        Record::from_bytes(key, &sealed(&[0, 0, 0, 0, 0])),
        Some(Record::Questions(Vec::new())),
        "what is sealed here is read"
    );
    for record in records() {
        let body = &record.to_bytes(key)[BODY..];
        for cut in 0..body.len() {
            assert_eq!(Record::from_bytes(key, &sealed(&body[..cut])), None, "cut at {cut}");
        }
        let mut huge = body.to_vec();
        huge.truncate(1);
        huge.extend_from_slice(&[0xff; 4]);
        assert_eq!(Record::from_bytes(key, &sealed(&huge)), None, "a count of 4 billion");
    }
    let Some(Record::Result(result)) = records().into_iter().nth(1) else { panic!("a result") };
    let wrong = Record::Result(CachedResult { inline: Some(b"compilee".to_vec()), ..result });
    assert_eq!(Record::from_bytes(key, &wrong.to_bytes(key)), None, "bytes of another hash");
}

#[test]
fn the_next_key_depends_on_every_answer() {
    let key = hash_of(b"key");
    let Some(Record::Result(CachedResult { dependencies, .. })) = records().into_iter().nth(1)
    else {
        panic!("a result")
    };
    let next = next_key(key, &dependencies);
    assert_ne!(next_key(hash_of(b"other"), &dependencies), next, "the key before");
    for at in 0..dependencies.len() {
        let mut other = dependencies.clone();
        other[at] = match other[at].clone() {
            Dependency::File { path, hash } => {
                Dependency::File { path, hash: hash.xor(Some(hash_of(b"other"))) }
            }
            Dependency::Listing { path, hash } => {
                Dependency::Listing { path, hash: hash.xor(Some(hash_of(b"other"))) }
            }
            Dependency::Option { name, value } => {
                Dependency::Option { name, value: value.xor(Some("other".into())) }
            }
        };
        assert_ne!(next_key(key, &other), next, "answer {at}");
    }
}
