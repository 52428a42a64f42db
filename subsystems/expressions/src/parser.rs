//! From tokens to a tree: operators wait on a separate stack until one that binds less comes.
//!
//! After Niklas Frykholm, "A Tiny Expression Language" (2011), which is after Dijkstra's shunting
//! yard. Changes: operators that group from the right, signs, comparisons, a choice, functions of
//! several arguments, and errors that are reported. What is nested waits on the stack in memory;
//! nothing recurses.

use loligo_allocators::Allocator;
use loligo_containers::Array;

use crate::error::{CompileError, CompileErrorKind};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::limits::SOURCE_BYTES_MAX;
use crate::operation::{binary, ternary, unary};
use crate::symbols::{Callee, Symbol, Symbols};
use crate::tree::{Operation, Tree, TreeFull};

/// How tightly operators bind.
pub(crate) mod binding {
    pub(crate) const CHOICE: u8 = 1;
    pub(crate) const OR: u8 = 2;
    pub(crate) const AND: u8 = 3;
    pub(crate) const COMPARISON: u8 = 4;
    pub(crate) const SUM: u8 = 5;
    pub(crate) const PRODUCT: u8 = 6;
    pub(crate) const SIGN: u8 = 7;
    pub(crate) const POWER: u8 = 8;
    /// Of what cannot be taken apart.
    pub(crate) const VALUE: u8 = 9;
}

/// Returns how tightly an operator between two values binds.
pub(crate) const fn binding_of(code: u8) -> u8 {
    match code {
        binary::OR => binding::OR,
        binary::AND => binding::AND,
        binary::ADD | binary::SUBTRACT => binding::SUM,
        binary::MULTIPLY | binary::DIVIDE | binary::REMAINDER => binding::PRODUCT,
        binary::POWER => binding::POWER,
        _ => binding::COMPARISON,
    }
}

/// What waits for its last operand, and where it is in the source.
#[derive(Clone, Copy, Debug)]
struct Pending {
    kind: PendingKind,
    offset: u32,
    bytes: u32,
}

#[derive(Clone, Copy, Debug)]
enum PendingKind {
    Sign(u8),
    Infix(u8),
    Parenthesis,
    Call {
        callee: Callee,
        arguments: u32,
    },
    /// A condition and its `?`: the first value follows.
    Question,
    /// A whole choice but for its second value.
    Choice,
}

impl PendingKind {
    /// Returns how tightly it binds: 0 for what only its closing token ends.
    const fn binding(self) -> u8 {
        match self {
            Self::Sign(_) => binding::SIGN,
            Self::Infix(code) => binding_of(code),
            Self::Choice => binding::CHOICE,
            Self::Parenthesis | Self::Call { .. } | Self::Question => 0,
        }
    }
}

/// Reads a source.
pub(crate) fn parse<'s, 'f: 's, 'a, A: Allocator + ?Sized>(
    source: &'s str,
    symbols: &Symbols<'f>,
    memory: &'a A,
) -> Result<Tree<'a, A>, CompileError<'s>> {
    let mut parser = Parser {
        source,
        symbols: *symbols,
        tree: Tree::new_in(memory),
        pending: Array::new_in(memory),
    };
    if source.len() > SOURCE_BYTES_MAX {
        return Err(parser.error(CompileErrorKind::LongSource, 0, 0));
    }
    parser.read()?;
    Ok(parser.tree)
}

struct Parser<'s, 'f, 'a, A: Allocator + ?Sized> {
    source: &'s str,
    symbols: Symbols<'f>,
    tree: Tree<'a, A>,
    pending: Array<'a, Pending, A>,
}

impl<'s, 'f: 's, A: Allocator + ?Sized> Parser<'s, 'f, '_, A> {
    fn read(&mut self) -> Result<(), CompileError<'s>> {
        let mut lexer = Lexer::new(self.source);
        let mut wants_value = true;
        loop {
            let token = lexer.next()?;
            if wants_value {
                wants_value = !self.value(token, &mut lexer)?;
            } else if token.kind == TokenKind::End {
                return self.end();
            } else {
                wants_value = self.behind_value(token)?;
            }
        }
    }

    /// Takes a token where a value may begin. Returns whether one has ended with it.
    fn value(&mut self, token: Token<'s>, lexer: &mut Lexer<'s>) -> Result<bool, CompileError<'s>> {
        match token.kind {
            TokenKind::Number(value) => self.push(Operation::Float(value), token).map(|()| true),
            TokenKind::Name(name) => self.name(name, token, lexer),
            TokenKind::Infix(binary::SUBTRACT) => {
                self.wait(PendingKind::Sign(unary::NEGATE), token).map(|()| false)
            }
            TokenKind::Not => self.wait(PendingKind::Sign(unary::NOT), token).map(|()| false),
            TokenKind::Opening => self.wait(PendingKind::Parenthesis, token).map(|()| false),
            TokenKind::Closing => self.no_arguments(token).map(|()| true),
            _ => Err(self.at(token, CompileErrorKind::ValueExpected)),
        }
    }

    fn name(
        &mut self,
        name: &'s str,
        token: Token<'s>,
        lexer: &mut Lexer<'s>,
    ) -> Result<bool, CompileError<'s>> {
        match self.symbols.find(name) {
            Some(Symbol::Variable(index)) => self.push(Operation::Variable(index), token)?,
            Some(Symbol::Constant(value)) => self.push(Operation::Float(value), token)?,
            Some(Symbol::Callee(callee)) => {
                if lexer.next()?.kind != TokenKind::Opening {
                    return Err(self.at(token, CompileErrorKind::NotCalled));
                }
                self.wait(PendingKind::Call { callee, arguments: 0 }, token)?;
                return Ok(false);
            }
            None => {
                let nearest = self.symbols.nearest(name);
                return Err(self.at(token, CompileErrorKind::Unknown { nearest }));
            }
        }
        Ok(true)
    }

    /// Takes a `)` where a value should begin: only a function without arguments may be closed so.
    fn no_arguments(&mut self, token: Token<'s>) -> Result<(), CompileError<'s>> {
        if let Some(&Pending { kind: PendingKind::Call { callee, arguments: 0 }, offset, bytes }) =
            self.pending.last()
        {
            self.pending.pop();
            let here = Token { offset, bytes, ..token };
            return self.call(callee, 0, here);
        }
        Err(self.at(token, CompileErrorKind::ValueExpected))
    }

    /// Takes a token after a value. Returns whether another value must follow.
    fn behind_value(&mut self, token: Token<'s>) -> Result<bool, CompileError<'s>> {
        match token.kind {
            TokenKind::Infix(code) => self.infix(code, token)?,
            TokenKind::Question => {
                self.settle(binding::CHOICE + 1)?;
                self.wait(PendingKind::Question, token)?;
            }
            TokenKind::Colon => self.colon(token)?,
            TokenKind::Comma => self.comma(token)?,
            TokenKind::Closing => return self.closing(token).map(|()| false),
            TokenKind::Opening if self.is_behind_name(token) => {
                return Err(self.at(self.name_before(token), CompileErrorKind::NotCallable));
            }
            _ => return Err(self.at(token, CompileErrorKind::OperatorExpected)),
        }
        Ok(true)
    }

    fn infix(&mut self, code: u8, token: Token<'s>) -> Result<(), CompileError<'s>> {
        let binding = binding_of(code);
        // A power groups from the right: those before it go on waiting.
        self.settle(binding + u8::from(code == binary::POWER || binding == binding::COMPARISON))?;
        let before = self.pending.last().map_or(0, |pending| pending.kind.binding());
        if binding == binding::COMPARISON && before == binding::COMPARISON {
            return Err(self.at(token, CompileErrorKind::Chain));
        }
        self.wait(PendingKind::Infix(code), token)
    }

    fn colon(&mut self, token: Token<'s>) -> Result<(), CompileError<'s>> {
        self.settle(binding::CHOICE)?;
        match self.pending.last_mut() {
            Some(Pending { kind: kind @ PendingKind::Question, .. }) => {
                *kind = PendingKind::Choice;
                Ok(())
            }
            _ => Err(self.at(token, CompileErrorKind::NoCondition)),
        }
    }

    fn comma(&mut self, token: Token<'s>) -> Result<(), CompileError<'s>> {
        self.settle(binding::CHOICE)?;
        match self.pending.last_mut() {
            Some(Pending { kind: PendingKind::Call { callee, arguments }, offset, bytes }) => {
                *arguments += 1;
                let expected = self.symbols.arguments_of(*callee) as u32;
                let found = *arguments + 1;
                let here = Token { offset: *offset, bytes: *bytes, ..token };
                if found <= expected {
                    return Ok(());
                }
                Err(self.at(here, CompileErrorKind::Arguments { found, expected }))
            }
            Some(&mut Pending { kind: PendingKind::Question, offset, bytes }) => {
                Err(self.error(CompileErrorKind::NoElse, offset, bytes))
            }
            _ => Err(self.at(token, CompileErrorKind::Comma)),
        }
    }

    fn closing(&mut self, token: Token<'s>) -> Result<(), CompileError<'s>> {
        self.settle(binding::CHOICE)?;
        match self.pending.pop() {
            Some(Pending { kind: PendingKind::Parenthesis, .. }) => Ok(()),
            Some(Pending { kind: PendingKind::Call { callee, arguments }, offset, bytes }) => {
                self.call(callee, arguments + 1, Token { offset, bytes, ..token })
            }
            Some(Pending { offset, bytes, .. }) => {
                Err(self.error(CompileErrorKind::NoElse, offset, bytes))
            }
            None => Err(self.at(token, CompileErrorKind::Closed)),
        }
    }

    fn end(&mut self) -> Result<(), CompileError<'s>> {
        self.settle(binding::CHOICE)?;
        match self.pending.last() {
            None => Ok(()),
            Some(Pending { kind: PendingKind::Question, offset, bytes }) => {
                Err(self.error(CompileErrorKind::NoElse, *offset, *bytes))
            }
            Some(Pending { kind: PendingKind::Call { .. }, offset, bytes }) => {
                // The parenthesis comes after the name, with nothing but space between.
                let behind = (offset + bytes) as usize;
                let space = self.source.get(behind..).and_then(|rest| rest.find('('));
                let at = behind + space.unwrap_or(0);
                Err(self.error(CompileErrorKind::Open, at as u32, 1))
            }
            Some(Pending { offset, .. }) => Err(self.error(CompileErrorKind::Open, *offset, 1)),
        }
    }

    fn call(
        &mut self,
        callee: Callee,
        found: u32,
        token: Token<'s>,
    ) -> Result<(), CompileError<'s>> {
        let expected = self.symbols.arguments_of(callee) as u32;
        if found != expected {
            return Err(self.at(token, CompileErrorKind::Arguments { found, expected }));
        }
        let operation = match callee {
            Callee::Unary(code) => Operation::Unary(code),
            Callee::Binary(code) => Operation::Binary(code),
            Callee::Ternary(code) => Operation::Ternary(code),
            Callee::User(function) => Operation::Call { function, arguments: expected as u8 },
        };
        self.push(operation, token)
    }

    /// Moves what binds at least so tightly from the stack into the tree.
    fn settle(&mut self, binding: u8) -> Result<(), CompileError<'s>> {
        while let Some(&Pending { kind, offset, bytes }) = self.pending.last() {
            if kind.binding() < binding {
                break;
            }
            let operation = match kind {
                PendingKind::Sign(code) => Operation::Unary(code),
                PendingKind::Infix(code) => Operation::Binary(code),
                _ => Operation::Ternary(ternary::CHOOSE),
            };
            self.pending.pop();
            self.push(operation, Token { kind: TokenKind::End, offset, bytes })?;
        }
        Ok(())
    }

    fn push(&mut self, operation: Operation, token: Token<'s>) -> Result<(), CompileError<'s>> {
        let pushed = self.tree.push(operation, self.symbols.functions);
        pushed.map_err(|full| {
            let kind = match full {
                TreeFull::Long => CompileErrorKind::Long,
                TreeFull::Deep => CompileErrorKind::Deep,
                TreeFull::Memory(error) => CompileErrorKind::Memory(error),
            };
            self.at(token, kind)
        })
    }

    fn wait(&mut self, kind: PendingKind, token: Token<'s>) -> Result<(), CompileError<'s>> {
        let pending = Pending { kind, offset: token.offset, bytes: token.bytes };
        let pushed = self.pending.try_push(pending);
        pushed.map_err(|error| self.at(token, CompileErrorKind::Memory(error)))
    }

    /// Returns `true` if the `(` comes after the name of a value, which cannot be called.
    fn is_behind_name(&self, token: Token<'s>) -> bool {
        self.name_before(token).bytes > 0
    }

    /// Returns the name that ends before a token, space aside; an empty part if none does.
    fn name_before(&self, token: Token<'s>) -> Token<'s> {
        let before = self.source.get(..token.offset as usize).unwrap_or_default().trim_end();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let start = before.trim_end_matches(is_part).len();
        let name = before.get(start..).unwrap_or_default();
        let bytes = if crate::symbols::is_name(name) { name.len() } else { 0 };
        Token { offset: start as u32, bytes: bytes as u32, ..token }
    }

    fn at(&self, token: Token<'s>, kind: CompileErrorKind<'s>) -> CompileError<'s> {
        self.error(kind, token.offset, token.bytes)
    }

    fn error(&self, kind: CompileErrorKind<'s>, offset: u32, bytes: u32) -> CompileError<'s> {
        CompileError { source: self.source, offset, bytes, kind }
    }
}
