//! Has the kernel refuse one call of many, in child processes, by the lengths of the calls. Not under the memory
//! checkers, which make such calls as well.

use crate::test_child as child;

/// Which calls are refused, by their second argument: a number of bytes.
pub(crate) enum Lengths<'l> {
    Of(&'l [usize]),
    AllBut(&'l [usize]),
}

const fn step(code: u32, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

/// Has the kernel refuse a call from now on, for want of memory; tells whether it does as told.
pub(crate) fn refuse(call: libc::c_long, lengths: &Lengths<'_>) -> bool {
    let refusal = libc::SECCOMP_RET_ERRNO | libc::ENOMEM as u32;
    let (lengths, hit, miss) = match *lengths {
        Lengths::Of(lengths) => (lengths, refusal, libc::SECCOMP_RET_ALLOW),
        Lengths::AllBut(lengths) => (lengths, libc::SECCOMP_RET_ALLOW, refusal),
    };
    let low = if cfg!(target_endian = "big") { 4 } else { 0 };
    let second = core::mem::offset_of!(libc::seccomp_data, args) as u32 + 8 + low;
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let answer = libc::BPF_RET | libc::BPF_K;
    let number = core::mem::offset_of!(libc::seccomp_data, nr) as u32;
    let is_call = libc::sock_filter { jt: 1, ..step(equal, call as u32) };
    let allow = step(answer, libc::SECCOMP_RET_ALLOW);
    let mut steps = std::vec![step(load, number), is_call, allow, step(load, second)];
    for &bytes in lengths {
        steps.push(libc::sock_filter { jf: 1, ..step(equal, bytes as u32) });
        steps.push(step(answer, hit));
    }
    steps.push(step(answer, miss));
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: sets a mark of this process, which touches no memory.
    let is_marked = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } == 0;
    let mode = libc::SECCOMP_MODE_FILTER;
    // SAFETY: the kernel copies the program that it is given.
    is_marked && unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) } == 0
}

/// Runs `work` in a child if there the kernel can be told to refuse.
pub(crate) fn run(work: impl FnOnce() -> u32) {
    let answer = child::run(|| {
        if !refuse(libc::SYS_munmap, &Lengths::Of(&[])) {
            std::println!("no filters of calls here");
            return 0;
        }
        work()
    });
    assert_eq!(answer, 0, "the child's line is above");
}
