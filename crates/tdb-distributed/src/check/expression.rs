//! Checks of expressions: only those built into DataFusion pass.

use datafusion_proto::protobuf::PhysicalExprNode;
use datafusion_proto::protobuf::physical_aggregate_expr_node::AggregateFunction;
use datafusion_proto::protobuf::physical_expr_node::ExprType;
use datafusion_proto::protobuf::physical_window_expr_node::WindowFunction;
use datafusion_proto::protobuf::{
    PhysicalAggregateExprNode, PhysicalBinaryExprNode, PhysicalCaseNode, PhysicalScalarUdfNode,
    PhysicalWindowExprNode,
};

use super::Walk;
use super::functions::Kind;
use super::refusal::Refusal;
use super::steps::Steps;

impl Walk<'_> {
    /// Checks one node of an expression and queues its children.
    pub(super) fn expression<'p>(
        &mut self,
        expression: &'p PhysicalExprNode,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        let node = expression.expr_type.as_ref();
        self.simple(node.ok_or(Refusal::Unset("an expression"))?, steps)
    }

    /// Checks columns, literals, comparisons, boolean operators and casts.
    fn simple<'p>(&mut self, node: &'p ExprType, steps: &mut Steps<'p>) -> Result<(), Refusal> {
        match node {
            ExprType::Column(_) | ExprType::UnknownColumn(_) => {}
            ExprType::Literal(value) => steps.value(Some(value)),
            ExprType::BinaryExpr(node) => binary(node, steps),
            ExprType::IsNullExpr(node) => steps.expression(node.expr.as_deref()),
            ExprType::IsNotNullExpr(node) => steps.expression(node.expr.as_deref()),
            ExprType::NotExpr(node) => steps.expression(node.expr.as_deref()),
            ExprType::Negative(node) => steps.expression(node.expr.as_deref()),
            ExprType::Sort(node) => steps.expression(node.expr.as_deref()),
            ExprType::Case(node) => case(node, steps),
            ExprType::Cast(node) => {
                steps.expression(node.expr.as_deref());
                steps.datatype(node.arrow_type.as_ref());
            }
            ExprType::TryCast(node) => {
                steps.expression(node.expr.as_deref());
                steps.datatype(node.arrow_type.as_ref());
            }
            ExprType::InList(node) => {
                steps.expression(node.expr.as_deref());
                steps.expressions(&node.list);
            }
            ExprType::LikeExpr(node) => {
                steps.expression(node.expr.as_deref());
                steps.expression(node.pattern.as_deref());
            }
            other => return self.complex(other, steps),
        }
        Ok(())
    }

    /// Checks function calls, and expressions that the engine inserts itself. Everything else is refused.
    fn complex<'p>(&mut self, node: &'p ExprType, steps: &mut Steps<'p>) -> Result<(), Refusal> {
        match node {
            ExprType::ScalarUdf(node) => self.scalar(node, steps)?,
            ExprType::AggregateExpr(node) => self.aggregate_function(node, steps)?,
            ExprType::WindowExpr(node) => self.window(node, steps)?,
            ExprType::HigherOrderUdf(node) => {
                self.function(
                    Kind::HigherOrder,
                    &node.name,
                    node.fun_definition.as_deref(),
                )?;
                steps.expressions(&node.args);
            }
            ExprType::Lambda(node) => steps.expression(node.body.as_deref()),
            ExprType::LambdaVariable(node) => steps.field(node.field.as_ref()),
            ExprType::HashExpr(node) => steps.expressions(&node.on_columns),
            ExprType::RangeExpr(node) => {
                steps.sorts(&node.sort_expr);
                self.split_points(&node.split_point, steps)?;
            }
            ExprType::ScalarSubquery(node) => steps.datatype(node.data_type.as_ref()),
            ExprType::DynamicFilter(node) => {
                steps.expressions(&node.children);
                steps.expressions(&node.remapped_children);
                steps.maybe(node.inner_expr.as_deref());
            }
            ExprType::Extension(_) => return Err(Refusal::Node("an expression of an extension")),
            _ => return Err(Refusal::Node("an expression of this kind")),
        }
        Ok(())
    }

    fn scalar<'p>(
        &mut self,
        node: &'p PhysicalScalarUdfNode,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        self.function(Kind::Scalar, &node.name, node.fun_definition.as_deref())?;
        self.repeats(&node.name, &node.args)?;
        steps.expressions(&node.args);
        steps.datatype(node.return_type.as_ref());
        Ok(())
    }

    fn aggregate_function<'p>(
        &mut self,
        node: &'p PhysicalAggregateExprNode,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        let name = node.aggregate_function.as_ref();
        let AggregateFunction::UserDefinedAggrFunction(name) =
            name.ok_or(Refusal::Unset("the name of an aggregate"))?;
        self.function(Kind::Aggregate, name, node.fun_definition.as_deref())?;
        steps.expressions(&node.expr);
        steps.sorts(&node.ordering_req);
        Ok(())
    }

    /// Checks a window function.
    pub(super) fn window<'p>(
        &mut self,
        node: &'p PhysicalWindowExprNode,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        let name = node.window_function.as_ref();
        let (kind, name) = match name.ok_or(Refusal::Unset("the name of a window function"))? {
            WindowFunction::UserDefinedAggrFunction(name) => (Kind::Aggregate, name),
            WindowFunction::UserDefinedWindowFunction(name) => (Kind::Window, name),
        };
        self.function(kind, name, node.fun_definition.as_deref())?;
        steps.expressions(&node.args);
        steps.expressions(&node.partition_by);
        steps.sorts(&node.order_by);
        steps.frame(node.window_frame.as_ref());
        Ok(())
    }

    /// Checks that a function is known to the worker and that the plan brings no definition of it.
    fn function(&self, kind: Kind, name: &str, definition: Option<&[u8]>) -> Result<(), Refusal> {
        if definition.is_some_and(|bytes| !bytes.is_empty()) {
            return Err(Refusal::Definition(name.to_owned()));
        }
        if !self.rules.functions.has(kind, name) {
            return Err(Refusal::Function(name.to_owned()));
        }
        Ok(())
    }
}

fn binary<'p>(node: &'p PhysicalBinaryExprNode, steps: &mut Steps<'p>) {
    steps.maybe(node.l.as_deref());
    steps.maybe(node.r.as_deref());
    steps.expressions(&node.operands);
}

fn case<'p>(node: &'p PhysicalCaseNode, steps: &mut Steps<'p>) {
    steps.maybe(node.expr.as_deref());
    for branch in &node.when_then_expr {
        steps.expression(branch.when_expr.as_ref());
        steps.expression(branch.then_expr.as_ref());
    }
    steps.maybe(node.else_expr.as_deref());
}
