fn faulty_loseslastbyte_is_broken() {
    use loligo_tests::{programs::AllocatorOp::*, shrink::run_on};
    // Contents: operation 1, Reallocate { slot: 0, size: 1, align: 2, share: 16 }: reallocate(Layou
    let program = [
        Allocate { slot: 0, size: 0, align: 1 },
        Reallocate { slot: 0, size: 1, align: 2, share: 16 },
    ];
    run_on("faulty:LosesLastByte", &program).unwrap();
}
