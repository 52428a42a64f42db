fn ring_differs() {
    use loligo_tests::programs::{RingOp::*, run_faulty_ring, over_heap};
    // operation 2, the end: elements: [256], of the model [0, 256]
    let program = [PushBack, PushBack];
    over_heap(0, |memory| run_faulty_ring(&program, memory)).unwrap();
}
