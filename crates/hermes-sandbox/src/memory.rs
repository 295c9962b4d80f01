//! How the C library's allocator goes about its heap.
//!
//! As it is, it grows the heap in small steps and gives its end back whenever a little is free there. A program that reads, answers and
//! frees in turns pays for each of these turns with system calls, and with pages that are taken away and made anew.

/// The step by which the heap grows. What is not touched takes no memory.
const STEP: i32 = 512 << 10;
/// So much may be free at its end.
const FREE: i32 = 2 << 20;

/// Lets the heap keep what was freed. For programs that end soon: nothing else gives it back.
#[expect(unsafe_code, reason = "the allocator is the C library's")]
pub fn keep_what_is_freed() {
    // SAFETY: the calls change two numbers of the allocator; they may be made at any time.
    unsafe {
        libc::mallopt(libc::M_TOP_PAD, STEP);
        libc::mallopt(libc::M_TRIM_THRESHOLD, FREE);
    }
}
