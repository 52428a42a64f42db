//! Conditions and their clauses.

use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{BinOp, Expr, UnOp};

use super::Finder;
use crate::mutants::change;
use crate::mutants::site::Shape;

impl Finder<'_> {
    /// What decides a branch: it is made false, and true if `may_be_true`.
    pub(super) fn condition(&mut self, condition: &Expr, may_be_true: bool) {
        match condition {
            Expr::Let(bound) => self.visit_expr(&bound.expr),
            Expr::Binary(binary) if has_let(condition) => {
                self.condition(&binary.left, may_be_true);
                self.condition(&binary.right, may_be_true);
            }
            _ => {
                let quoted = self.quote(condition);
                let truth = may_be_true.then(|| ["true".into(), format!("if true: {quoted}")]);
                let falsehood = ["false".into(), format!("if false: {quoted}")];
                let offers = truth.into_iter().chain([falsehood]).collect();
                self.decide(condition, offers);
                self.decided(condition);
            }
        }
    }

    /// A clause of a condition: it is made what makes it not count.
    pub(super) fn clause(&mut self, clause: &Expr, operator: &BinOp) {
        if let Expr::Binary(binary) = clause
            && core::mem::discriminant(&binary.op) == core::mem::discriminant(operator)
        {
            self.clause(&binary.left, operator);
            self.clause(&binary.right, operator);
            return;
        }
        let neutral = matches!(operator, BinOp::And(_));
        let mutation = format!("clause {neutral}: {}", self.quote(clause));
        self.decide(clause, vec![[neutral.to_string(), mutation]]);
        self.decided(clause);
    }

    fn decide(&mut self, condition: &Expr, offers: Vec<[String; 2]>) {
        // A literal is changed as such.
        if !matches!(condition, Expr::Lit(_)) {
            let line = condition.span().start().line;
            self.offer(self.range(condition), line, Shape::Condition, offers);
        }
    }

    /// What is inside of a condition that is made true and false already.
    fn decided(&mut self, condition: &Expr) {
        match condition {
            Expr::Paren(inner) => self.decided(&inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => self.decided(&unary.expr),
            Expr::Binary(binary) => self.binary(condition, binary, true),
            Expr::MethodCall(call) if change::of_method(&call.method.to_string()).is_some() => {
                syn::visit::visit_expr_method_call(self, call);
            }
            _ => self.visit_expr(condition),
        }
    }
}

/// Whether a condition binds names.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            has_let(&binary.left) || has_let(&binary.right)
        }
        _ => false,
    }
}
