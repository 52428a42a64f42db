//! Ids are never 0, and keep their place and generation.

use super::TaskId;

#[test]
fn an_id_is_its_place_and_its_generation() {
    for index in [0, 7, (1 << 20) - 1] {
        for generation in [1, 3, u32::MAX] {
            let id = TaskId::of(index, generation);
            assert_eq!((id.index(), id.generation()), (index, generation), "as they were");
            assert_eq!(TaskId::from_bits(id.to_bits()), Some(id), "as a number");
        }
    }
    assert_eq!(TaskId::from_bits(0), None, "0 is no id");
    assert_eq!(TaskId::of(0, 0).generation(), 1, "even generations have no tasks");
}
