//! What is kept while variables are the same changes nothing.

use loligo_animation::MachineTable;
use proptest::prelude::*;

use crate::machine_rig::{machine_bytes, packed, with_bytes};
use crate::memory::with_memory;
use crate::mocap::Random;
use crate::test_drawn::{check, seeded};

/// Formulas over variables, over the time of a state, and over both.
const SOURCE: &str = "
skeleton = \"chain\"
root = \"bone 0\"
variables = { speed = 0 side = 0 aim = 0 }
clips = { walk = { clip = \"a\" marks = [ 4 20 ] } run = { clip = \"b\" marks = [ 2 10 ] } aim = \"c\" }
layers = [
    {
        name = \"base\"
        states = {
            walk = { along = \"speed\" speed = \"1 + 0.2 * side\" points = [
                { clip = \"walk\" at = 0 } { clip = \"run\" at = 1 }
            ] }
            run = { clip = \"run\" speed = \"1 + state.phase\" }
            late = { clips = [ { clip = \"walk\" weight = \"speed\" } { clip = \"run\" weight = \"state.time\" } ] }
        }
        transitions = [
            { from = \"walk\" to = \"run\" if = \"speed > 0.7\" seconds = 0.2 sync = true }
            { from = \"run\" to = \"late\" if = \"side > 0.5 && state.time > 0.3\" seconds = 0.1 }
            { from = [ \"run\" \"late\" ] to = \"walk\" if = \"speed < 0.3\" when = \"end\" seconds = 0.3 }
        ]
    }
    {
        name = \"over\" additive = true weight = \"clamp(aim + 0.5 * state.phase, 0, 1)\"
        states = { aim = { clip = \"aim\" speed = \"aim\" } }
    }
]";

#[test]
fn what_is_kept_is_what_is_computed() {
    let bytes = machine_bytes(SOURCE).expect("the source is right");
    let clips = packed(&[
        ("a", 32, 32.0, vec![(4.0, "left"), (20.0, "right")]),
        ("b", 16, 32.0, vec![(2.0, "left")]),
        ("c", 24, 32.0, vec![(12.0, "hit")]),
    ]);
    check(seeded(48, 24), &(any::<u64>(), 1_usize..12), |(seed, pause)| {
        let ran = with_memory(|memory| {
            with_bytes(&bytes, &clips, memory, |rig| {
                rig.machines.try_push(rig.table).expect("memory");
                let mut random = Random(seed);
                let mut found = [Vec::new(), Vec::new()];
                for step in 0..120 {
                    if step % pause == 0 {
                        let variable = (random.between(0.0, 2.999)) as usize;
                        let value = random.between(0.0, 1.0);
                        (0..2).for_each(|of| rig.machines.set(of, variable, value));
                    }
                    // Of the second character nothing is kept.
                    let _ = rig.machines.variables_mut(1);
                    found.iter_mut().for_each(Vec::clear);
                    rig.machines.step(rig.table, 0.03, |event| {
                        let numbers = [event.frame, event.weight, event.seconds_since];
                        found[event.character].push((event.clip, numbers.map(f32::to_bits)));
                    });
                    assert_eq!(found[0], found[1], "events of step {step}");
                    for layer in 0..2 {
                        let [kept, computed] = [0, 1].map(|of| rig.machines.samples(of, layer));
                        assert_eq!(kept, computed, "samples of step {step}");
                        let weight = |of| rig.machines.layer_weight(of, layer).to_bits();
                        assert_eq!(weight(0), weight(1), "step {step}");
                    }
                    assert_eq!(rig.machines.way(0), rig.machines.way(1), "step {step}");
                }
            })
        });
        prop_assert_eq!(ran, Ok(()));
        Ok(())
    });
}

#[test]
fn what_was_kept_of_another_table_is_not_used() {
    let clips = packed(&[("a", 32, 32.0, vec![]), ("b", 16, 32.0, vec![])]);
    let source = |speed: &str| {
        format!(
            "skeleton = \"chain\" variables = {{ speed = 0 }} clips = {{ a = \"a\" b = \"b\" }}
            layers = [ {{ name = \"base\" states = {{ a = {{ clip = \"a\" speed = \"{speed}\" }} }} }} ]"
        )
    };
    let [slow, fast] = ["1 + speed", "2 + speed"].map(|of| machine_bytes(&source(of)).expect(of));
    with_memory(|memory| {
        with_bytes(&slow, &clips, memory, |of_slow| {
            let step =
                |of_fast: &MachineTable<'_, '_>,
                 rig: &mut crate::machine_rig::MachineRig<'_, '_, '_>| {
                    rig.step(0.125);
                    rig.machines.step(of_fast, 0.125, |_| ());
                    assert_eq!(rig.samples(0)[0].1, 4.0 + 8.0, "a step of each");
                };
            with_bytes(&fast, &clips, memory, |of_fast| step(of_fast.table, of_slow))
                .expect("it can be played");
        })
    })
    .expect("it can be played");
}
