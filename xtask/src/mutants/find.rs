//! Finds what may be mutated in a source.

mod condition;
mod function;

use core::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ImplItem, Item, Lit, Pat, RangeLimits, Stmt, TraitItem, UnOp};

use self::function::{Function, Header};
use super::site::{Found, Mutant, Place, Shape};
use super::{cfg, change, marks};

/// How much of an expression a mutation quotes, in characters.
const QUOTED_MAX: usize = 44;

/// Returns the mutants of a source, tests left out.
pub(super) fn find(path: &str, text: &str, file: &syn::File) -> Found {
    let mut finder = Finder {
        path,
        text,
        found: Found::default(),
        header: Header::default(),
        function: None,
        is_step: false,
        is_mark: false,
    };
    finder.visit_file(file);
    let mut found = finder.found;
    name_apart(&mut found.mutants);
    found
}

/// Numbers the mutations of a function that read alike.
fn name_apart(mutants: &mut [Mutant]) {
    let mut seen = std::collections::HashMap::<(u32, String), u32>::new();
    for mutant in mutants {
        let count = seen.entry((mutant.hash, mutant.mutation.clone())).or_default();
        *count += 1;
        if *count > 1 {
            mutant.mutation = format!("{} #{count}", mutant.mutation);
        }
    }
}

/// Walks a source.
struct Finder<'a> {
    path: &'a str,
    text: &'a str,
    found: Found,
    header: Header,
    function: Option<Function>,
    /// Whether the number that is looked at is what a loop may count with.
    is_step: bool,
    /// Whether nothing is left of what is looked at where nothing is left of the marks for memory
    /// checkers.
    is_mark: bool,
}

impl Finder<'_> {
    /// Returns the bytes of a piece of syntax.
    fn range(&self, node: &impl Spanned) -> Range<usize> {
        node.span().byte_range()
    }

    /// Returns the text of a piece of syntax.
    fn source(&self, node: &impl Spanned) -> &str {
        &self.text[self.range(node)]
    }

    /// Returns a piece of syntax on one line, shortened.
    fn quote(&self, node: &impl Spanned) -> String {
        let words: Vec<&str> = self.source(node).split_whitespace().collect();
        let line = words.join(" ");
        if line.chars().count() <= QUOTED_MAX {
            return line;
        }
        let begin: String = line.chars().take(QUOTED_MAX - 2).collect();
        format!("{begin}..")
    }

    /// Adds a place; each offer is what is put there, and what it is called.
    fn offer(&mut self, range: Range<usize>, line: usize, shape: Shape, offers: Vec<[String; 2]>) {
        let Some(function) = &self.function else {
            return;
        };
        if offers.is_empty() {
            return;
        }
        let mut place = Place { range, shape, offers: Vec::new() };
        for [text, mutation] in offers {
            place.offers.push((self.found.mutants.len(), text));
            self.found.mutants.push(Mutant {
                file: self.path.to_owned(),
                line,
                function: function.name.clone(),
                hash: function.hash,
                mutation,
                is_const: function.is_const,
                is_mark: self.is_mark,
                owner: function.owner,
            });
        }
        self.found.places.push(place);
    }

    /// Looks at something of which nothing may be left where nothing is left of the marks.
    fn marking(&mut self, is_mark: bool, look: impl FnOnce(&mut Self)) {
        let outer = core::mem::replace(&mut self.is_mark, is_mark);
        look(self);
        self.is_mark = outer;
    }

    /// Adds a place that replaces an expression.
    fn choose(&mut self, expression: &Expr, offers: Vec<[String; 2]>) {
        let line = expression.span().start().line;
        self.offer(self.range(expression), line, Shape::Choose, offers);
    }

    /// An operator between two values.
    fn binary(&mut self, expression: &Expr, binary: &syn::ExprBinary, only_limits: bool) {
        let (from, others) = change::of_operator(&binary.op);
        let is_logic = matches!(binary.op, BinOp::And(_) | BinOp::Or(_));
        // The last of what a comparison becomes is its opposite.
        let offered = match others.split_last() {
            Some((_, limits)) if only_limits && change::compares(&binary.op) => limits,
            _ => others,
        };
        let (left, right) = (self.source(&*binary.left), self.source(&*binary.right));
        let quoted = self.quote(expression);
        let mut offers = Vec::new();
        for to in offered {
            offers
                .push([format!("({left}) {to} ({right})"), format!("{from} to {to} in {quoted}")]);
        }
        self.choose(expression, offers);
        if is_logic {
            self.clause(&binary.left, &binary.op);
            self.clause(&binary.right, &binary.op);
            return;
        }
        self.visit_expr(&binary.left);
        let steps = matches!(binary.op, BinOp::AddAssign(_) | BinOp::SubAssign(_));
        self.is_step = steps;
        self.visit_expr(&binary.right);
        self.is_step = false;
    }

    /// `!x` and `-x` become `x`.
    fn unary(&mut self, expression: &Expr, unary: &syn::ExprUnary) {
        let sign = match unary.op {
            UnOp::Not(_) => "!",
            UnOp::Neg(_) => "-",
            _ => {
                self.visit_expr(&unary.expr);
                return;
            }
        };
        let mutation = format!("no {sign} in {}", self.quote(expression));
        self.choose(expression, vec![[self.source(&*unary.expr).to_owned(), mutation]]);
        self.visit_expr(&unary.expr);
    }

    /// A method becomes its opposite.
    fn method(&mut self, expression: &Expr, call: &syn::ExprMethodCall) {
        let name = call.method.to_string();
        if let Some(other) = change::of_method(&name) {
            let (range, inner) = (self.range(expression), self.range(&call.method));
            let (before, after) =
                (&self.text[range.start..inner.start], &self.text[inner.end..range.end]);
            let mutation = format!("{name} to {other} in {}", self.quote(expression));
            self.choose(expression, vec![[format!("{before}{other}{after}"), mutation]]);
        }
        visit::visit_expr_method_call(self, call);
    }

    /// A number becomes its neighbour, true false.
    fn literal(&mut self, expression: &Expr, literal: &Lit) {
        let other = match literal {
            Lit::Bool(value) => Some((!value.value).to_string()),
            Lit::Int(number) => {
                change::of_number(number.base10_digits(), number.suffix(), self.is_step)
            }
            _ => None,
        };
        if let Some(other) = other {
            let mutation = format!("{} to {other}", self.quote(expression));
            self.choose(expression, vec![[other, mutation]]);
        }
    }

    /// The end of a range moves by one, as `..` and `..=` differ.
    fn range_end(&mut self, range: &syn::ExprRange) {
        if let Some(start) = &range.start {
            self.visit_expr(start);
        }
        let Some(end) = &range.end else {
            return;
        };
        let sign = if matches!(range.limits, RangeLimits::HalfOpen(_)) { '+' } else { '-' };
        if !matches!(&**end, Expr::Lit(_)) {
            let text = format!("({}) {sign} 1", self.source(&**end));
            let mutation = format!("end {sign} 1 in {}", self.quote(range));
            self.choose(end, vec![[text, mutation]]);
        }
        self.visit_expr(end);
    }

    /// An arm that another would be in for never matches; a guard is made true and false.
    fn arms(&mut self, expression: &syn::ExprMatch) {
        let is_wild =
            |arm: &syn::Arm| matches!(arm.pat, Pat::Wild(_)) && cfg::is_active(&arm.attrs);
        let wild = expression.arms.iter().position(is_wild);
        for (index, arm) in expression.arms.iter().enumerate() {
            if !cfg::is_active(&arm.attrs) {
                continue;
            }
            if let Pat::Guard(guarded) = &arm.pat {
                self.condition(&guarded.guard, true);
            } else if wild.is_some_and(|wild| index < wild) {
                let end = self.range(&arm.pat).end;
                let line = arm.pat.span().start().line;
                let mutation = format!("no arm {}", self.quote(&arm.pat));
                self.offer(end..end, line, Shape::Never, vec![[String::new(), mutation]]);
            }
            self.visit_expr(&arm.body);
        }
    }

    /// A statement is left out.
    fn delete(&mut self, statement: &Stmt, expression: &Expr) {
        let is_deletable = match inner(expression) {
            Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) => true,
            Expr::Binary(binary) => {
                change::of_operator(&binary.op).0.ends_with('=') && !change::compares(&binary.op)
            }
            _ => false,
        };
        if is_deletable {
            let mutation = format!("delete {}", self.quote(expression));
            let line = statement.span().start().line;
            let offers = vec![[String::new(), mutation]];
            let marks = self.is_mark || marks::is_mark(self.path, inner(expression));
            self.marking(marks, |finder| {
                finder.offer(finder.range(statement), line, Shape::Delete, offers);
            });
        }
    }

    /// The statements of a block, whose last value is nothing if `is_unit`.
    fn statements(&mut self, block: &syn::Block, is_unit: bool) {
        let count = block.stmts.len();
        for (index, statement) in block.stmts.iter().enumerate() {
            if let Stmt::Expr(expression, semicolon) = statement
                && cfg::is_active(function::attributes(expression))
                && (semicolon.is_some() || index + 1 < count || is_unit)
            {
                self.delete(statement, expression);
            }
            self.visit_stmt(statement);
        }
    }
}

/// Returns what is done inside of an unsafe block of one expression, or before a question mark.
fn inner(expression: &Expr) -> &Expr {
    match expression {
        Expr::Try(tried) => inner(&tried.expr),
        Expr::Unsafe(block) => match block.block.stmts.as_slice() {
            [Stmt::Expr(only, None)] => inner(only),
            _ => expression,
        },
        _ => expression,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        if !cfg::is_active(function::attributes(expression)) {
            return;
        }
        let is_step = core::mem::take(&mut self.is_step);
        let outer = self.is_mark;
        self.is_mark |= marks::is_mark(self.path, expression);
        match expression {
            Expr::Binary(binary) => self.binary(expression, binary, false),
            Expr::Unary(unary) => self.unary(expression, unary),
            Expr::MethodCall(call) => self.method(expression, call),
            Expr::Lit(literal) => {
                self.is_step = is_step;
                self.literal(expression, &literal.lit);
                self.is_step = false;
            }
            Expr::Range(range) => self.range_end(range),
            Expr::If(branch) => {
                self.condition(&branch.cond, true);
                self.statements(&branch.then_branch, false);
                if let Some((_, other)) = &branch.else_branch {
                    self.visit_expr(other);
                }
            }
            Expr::While(repeated) => {
                // Always true would be a loop without an end, which proves nothing.
                self.condition(&repeated.cond, false);
                self.statements(&repeated.body, true);
            }
            Expr::ForLoop(repeated) => {
                self.visit_expr(&repeated.expr);
                self.statements(&repeated.body, true);
            }
            Expr::Loop(repeated) => self.statements(&repeated.body, true),
            Expr::Match(matched) => {
                self.visit_expr(&matched.expr);
                self.arms(matched);
            }
            Expr::Closure(closure) => self.visit_expr(&closure.body),
            Expr::Let(bound) => self.visit_expr(&bound.expr),
            Expr::Repeat(repeated) => self.visit_expr(&repeated.expr),
            // Code that is evaluated by the compiler, or read by a macro, is not code of the
            // running program.
            Expr::Const(_) | Expr::Macro(_) => {}
            _ => visit::visit_expr(self, expression),
        }
        self.is_mark = outer;
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.statements(block, false);
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if cfg::is_active(&field.attrs) {
            self.visit_expr(&field.expr);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if cfg::is_active(&local.attrs)
            && let Some(init) = &local.init
        {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.visit_expr(otherwise);
            }
        }
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if !cfg::is_active(function::item_attributes(item)) {
            return;
        }
        match item {
            Item::Fn(function) => self.enter(&function.sig, &function.block),
            Item::Impl(block) => self.within(Header::of_impl(block, self.text), |finder| {
                block.items.iter().for_each(|item| finder.visit_impl_item(item));
            }),
            Item::Trait(block) => self.within(Header::of_trait(block), |finder| {
                block.items.iter().for_each(|item| finder.visit_trait_item(item));
            }),
            Item::Mod(_) => visit::visit_item(self, item),
            _ => {}
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if let ImplItem::Fn(function) = item
            && cfg::is_active(&function.attrs)
        {
            self.enter(&function.sig, &function.block);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if let TraitItem::Fn(function) = item
            && cfg::is_active(&function.attrs)
            && let Some(block) = &function.default
        {
            self.enter(&function.sig, block);
        }
    }

    fn visit_pat(&mut self, _: &'ast Pat) {}

    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_path(&mut self, _: &'ast syn::Path) {}

    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
}
