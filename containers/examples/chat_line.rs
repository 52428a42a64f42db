//! The chat line of a game: a player types, the cursor moves by characters, a message is made and
//! shown. No string class, and not a byte from the global heap.
//!
//! Run it with `cargo run -p loligo-containers --example chat_line`.

use core::error::Error;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator, ProxyAllocator};
use loligo_containers::{Array, text};

/// What is typed: bytes of UTF-8, and where the cursor is.
struct Line<'a> {
    bytes: Array<'a, u8>,
    cursor: usize,
}

impl Line<'_> {
    fn type_in(&mut self, typed: &str) -> Result<(), Box<dyn Error>> {
        for character in typed.chars() {
            let mut room = [0; 4];
            for &byte in character.encode_utf8(&mut room).as_bytes() {
                self.bytes.try_insert(self.cursor, byte)?;
                self.cursor += 1;
            }
        }
        Ok(())
    }

    fn left(&mut self) {
        self.cursor = text::previous_boundary(&self.bytes, self.cursor);
    }

    /// Deletes the character before the cursor, however many bytes it has.
    fn delete(&mut self) {
        let start = text::previous_boundary(&self.bytes, self.cursor);
        self.bytes.drain(start..self.cursor);
        self.cursor = start;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let chat = ProxyAllocator::new("chat", &heap);
    let memory: &dyn Allocator = &chat;

    let mut line = Line { bytes: Array::new(memory), cursor: 0 };
    line.type_in("Grüße an Öland!")?;
    for _ in 0.."Öland!".chars().count() {
        line.left();
    }
    line.delete();
    line.type_in(" alle auf ")?;
    println!("typed:   {}", text::view(&line.bytes)?);
    assert_eq!(text::view(&line.bytes)?, "Grüße an alle auf Öland!", "as a person would expect");

    let mut message: Array<u8> = Array::new(memory);
    text::try_format(&mut message, format_args!("[{:02}:{:02}] {}: ", 9, 41, "Ada"))?;
    text::try_append(&mut message, text::view(&line.bytes)?)?;
    println!("sent:    {}", text::view(&message)?);

    // The window has room for 16 bytes; a character is never cut in two.
    text::truncate(&mut message, 16);
    println!("shown:   {}..", text::view(&message)?);
    assert_eq!(text::view(&message)?, "[09:41] Ada: Gr", "whole characters alone");
    let vowels = text::chars(&message).filter(|character| "aeiouäöü".contains(*character)).count();
    println!("vowels:  {vowels}");
    println!("the chat holds {} bytes in {} blocks", chat.stats().requested, chat.stats().live);
    Ok(())
}
