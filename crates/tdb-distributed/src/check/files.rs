//! Checks of file scans.

use datafusion_proto::protobuf::{FileScanExecConf, PartitionedFile};
use datafusion_proto_common::protobuf_common::{Precision, Statistics};

use super::Walk;
use super::refusal::Refusal;
use super::steps::Steps;

impl Walk<'_> {
    /// Checks the files and options of a scan; each file must lie within an allowed place.
    pub(super) fn files<'p>(
        &mut self,
        scan: Option<&'p FileScanExecConf>,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        let scan = scan.ok_or(Refusal::Unset("the files of a scan"))?;
        self.partitions(scan.file_groups.len() as u64)?;
        for file in scan.file_groups.iter().flat_map(|group| &group.files) {
            self.count(1)?;
            self.rules
                .allowed
                .file(&scan.object_store_url, &file.path)?;
            parts_of(file, steps);
        }
        steps.schema(scan.schema.as_ref());
        statistics(scan.statistics.as_ref(), steps);
        for order in &scan.output_ordering {
            steps.sorts(&order.physical_sort_expr_nodes);
        }
        if let Some(expressions) = &scan.projection_exprs {
            for projected in &expressions.projections {
                steps.expression(projected.expr.as_ref());
            }
        }
        if let Some(rows) = scan.batch_size {
            self.batch(rows)?;
        }
        if scan.output_partitioning.is_some() {
            self.partitioning(scan.output_partitioning.as_ref(), steps)?;
        }
        let constraints = scan.constraints.iter().flat_map(|all| &all.constraints);
        if constraints
            .into_iter()
            .any(|one| one.constraint_mode.is_none())
        {
            // The engine panics if the mode is missing.
            return Err(Refusal::Unset("what a constraint says"));
        }
        Ok(())
    }
}

fn parts_of<'p>(file: &'p PartitionedFile, steps: &mut Steps<'p>) {
    file.partition_values
        .iter()
        .for_each(|value| steps.value(Some(value)));
    statistics(file.statistics.as_ref(), steps);
    steps.maybe_schema(file.arrow_schema.as_ref());
}

fn statistics<'p>(statistics: Option<&'p Statistics>, steps: &mut Steps<'p>) {
    let Some(statistics) = statistics else {
        return;
    };
    let mut known = |precision: &'p Option<Precision>| {
        // An absent statistic is encoded as a value whose inner `value` is unset.
        let value = precision.as_ref().and_then(|known| known.val.as_ref());
        if let Some(value) = value.filter(|value| value.value.is_some()) {
            steps.value(Some(value));
        }
    };
    known(&statistics.num_rows);
    known(&statistics.total_byte_size);
    for column in &statistics.column_stats {
        known(&column.min_value);
        known(&column.max_value);
        known(&column.sum_value);
        known(&column.null_count);
        known(&column.distinct_count);
        known(&column.byte_size);
    }
}
