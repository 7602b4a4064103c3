//! The stack of plan parts that are yet to be checked.

use datafusion_proto::protobuf::window_frame::EndBound;
use datafusion_proto::protobuf::{
    ArrowType, Field, PhysicalExprNode, PhysicalPlanNode, PhysicalSortExprNode, ScalarValue,
    Schema, WindowFrame,
};

/// A part of a plan that is yet to be checked.
#[derive(Clone, Copy)]
pub(super) enum Step<'p> {
    Plan(&'p PhysicalPlanNode),
    Expression(&'p PhysicalExprNode),
    Type(&'p ArrowType),
    Value(&'p ScalarValue),
    /// A required part that the plan lacks, by its name.
    Missing(&'static str),
}

/// The parts yet to be checked, each with its depth in the plan. A client decides how deep a plan is, so an explicit
/// stack takes the place of recursive calls.
#[derive(Default)]
pub(super) struct Steps<'p> {
    list: Vec<(Step<'p>, usize)>,
    depth: usize,
}

impl<'p> Steps<'p> {
    /// Pops the next part. Parts pushed from now on are one level deeper.
    pub(super) fn next(&mut self) -> Option<Step<'p>> {
        let (step, depth) = self.list.pop()?;
        self.depth = depth;
        Some(step)
    }

    /// Depth of the part popped last.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    fn push(&mut self, step: Step<'p>) {
        self.list.push((step, self.depth.saturating_add(1)));
    }

    pub(super) fn plan(&mut self, plan: Option<&'p PhysicalPlanNode>) {
        self.push(plan.map_or(Step::Missing("an input"), Step::Plan));
    }

    pub(super) fn plans(&mut self, plans: &'p [PhysicalPlanNode]) {
        plans.iter().for_each(|plan| self.push(Step::Plan(plan)));
    }

    pub(super) fn expression(&mut self, expression: Option<&'p PhysicalExprNode>) {
        self.push(expression.map_or(Step::Missing("an expression"), Step::Expression));
    }

    /// Pushes an optional expression.
    pub(super) fn maybe(&mut self, expression: Option<&'p PhysicalExprNode>) {
        if let Some(expression) = expression {
            self.push(Step::Expression(expression));
        }
    }

    pub(super) fn expressions(&mut self, expressions: &'p [PhysicalExprNode]) {
        expressions
            .iter()
            .for_each(|expression| self.push(Step::Expression(expression)));
    }

    pub(super) fn sorts(&mut self, sorts: &'p [PhysicalSortExprNode]) {
        sorts
            .iter()
            .for_each(|sort| self.expression(sort.expr.as_deref()));
    }

    pub(super) fn datatype(&mut self, datatype: Option<&'p ArrowType>) {
        self.push(datatype.map_or(Step::Missing("a type"), Step::Type));
    }

    pub(super) fn value(&mut self, value: Option<&'p ScalarValue>) {
        self.push(value.map_or(Step::Missing("a value"), Step::Value));
    }

    pub(super) fn field(&mut self, field: Option<&'p Field>) {
        match field {
            Some(field) => {
                self.datatype(field.arrow_type.as_deref());
                self.fields(&field.children);
            }
            None => self.push(Step::Missing("a field")),
        }
    }

    pub(super) fn fields(&mut self, fields: &'p [Field]) {
        // Old forms of nested types have child fields in the field itself. This loop visits all levels, since fields
        // are not steps of their own.
        let mut level: Vec<&Field> = fields.iter().collect();
        while let Some(field) = level.pop() {
            self.datatype(field.arrow_type.as_deref());
            level.extend(&field.children);
        }
    }

    /// Pushes the bounds of a window frame.
    pub(super) fn frame(&mut self, frame: Option<&'p WindowFrame>) {
        let Some(frame) = frame else {
            return;
        };
        let end = frame.end_bound.as_ref().map(|EndBound::Bound(bound)| bound);
        for bound in frame.start_bound.iter().chain(end) {
            if let Some(value) = &bound.bound_value {
                self.value(Some(value));
            }
        }
    }

    pub(super) fn schema(&mut self, schema: Option<&'p Schema>) {
        match schema {
            Some(schema) => self.fields(&schema.columns),
            None => self.push(Step::Missing("a schema")),
        }
    }

    /// Pushes the types of an optional schema.
    pub(super) fn maybe_schema(&mut self, schema: Option<&'p Schema>) {
        if let Some(schema) = schema {
            self.fields(&schema.columns);
        }
    }
}
