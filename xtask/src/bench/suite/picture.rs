//! Generates `docs/performance.svg`: for each workload a bar with the speed relative to TileDB on the left, and the
//! share of the limit on the right.

use std::fmt::Write;

use super::page::FAMILIES;
use super::results::{Results, Row};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Positions and sizes in the picture, in its own units.
const LINE: f64 = 14.0;
const NAMES: f64 = 250.0;
const LEFT: f64 = 260.0;
const LEFT_WIDTH: f64 = 360.0;
const RIGHT: f64 = 660.0;
const RIGHT_WIDTH: f64 = 220.0;
const WIDTH: f64 = 900.0;

/// Smallest and largest ratio on the left axis.
const LEAST: f64 = 0.5;
const MOST: f64 = 100.0;

/// Colours for light and dark pages.
const STYLE: &str = "\
<style>
text { font: 10px sans-serif; fill: #333 } .title { font-weight: bold } .end { text-anchor: end } .middle { text-anchor: middle }
.ahead { fill: #3a7ca5 } .behind { fill: #c8553d } .share { fill: #6a994e } .line { stroke: #999; stroke-width: .5 } .one { stroke: #333; stroke-width: 1 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .ahead { fill: #6fb1d9 } .behind { fill: #e98a75 } .share { fill: #9cc97f } .line { stroke: #777 } .one { stroke: #ddd } }
</style>
";

pub(super) fn picture(results: &Results) -> Result<String> {
    let rows = results.rows();
    let families = FAMILIES.iter().map(|(family, title)| {
        let rows = rows.iter().filter(|row| row.text("family") == *family);
        (*title, rows.collect::<Vec<_>>())
    });
    let families: Vec<_> = families.filter(|(_, rows)| !rows.is_empty()).collect();
    let lines: usize = families.iter().map(|(_, rows)| rows.len() + 1).sum();
    let height = LINE * (lines + 3) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\n<title>tdb beside TileDB and beside the limit of one core</title>\n{STYLE}"
    );
    scales(&mut svg, height)?;
    let mut y = LINE * 3.0;
    for (title, rows) in families {
        writeln!(
            svg,
            "<text class=\"title\" x=\"4\" y=\"{y:.1}\">{title}</text>"
        )?;
        y += LINE;
        for row in rows {
            bars(&mut svg, row, y)?;
            y += LINE;
        }
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// Draws lines at round values, with labels.
fn scales(svg: &mut String, height: f64) -> Result<()> {
    writeln!(
        svg,
        "<text class=\"title\" x=\"{LEFT}\" y=\"11\">times as fast as TileDB 2.30.0</text><text class=\"title\" x=\"{RIGHT}\" y=\"11\">share of the limit of one core</text>"
    )?;
    for value in [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        let class = if value == 1.0 { "one" } else { "line" };
        line(svg, at(value), height, class, &format!("{value}"))?;
    }
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let x = RIGHT + RIGHT_WIDTH * share;
        line(svg, x, height, "line", &format!("{:.0} %", share * 100.0))?;
    }
    Ok(())
}

fn line(svg: &mut String, x: f64, height: f64, class: &str, label: &str) -> Result<()> {
    let top = LINE * 2.0;
    writeln!(
        svg,
        "<text class=\"middle\" x=\"{x:.1}\" y=\"24\">{label}</text><line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top}\" y2=\"{height:.1}\"/>"
    )?;
    Ok(())
}

fn bars(svg: &mut String, row: &Row<'_>, y: f64) -> Result<()> {
    let (top, thick) = (y - LINE + 4.0, LINE - 4.0);
    writeln!(
        svg,
        "<text class=\"end\" x=\"{NAMES}\" y=\"{y:.1}\">{}</text>",
        row.name
    )?;
    if let Some(ratio) = row.ratio() {
        let (one, end) = (at(1.0), at(ratio));
        let class = if ratio < 1.0 { "behind" } else { "ahead" };
        let (x, width) = (one.min(end), (one - end).abs().max(1.0));
        writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{thick}\"/>"
        )?;
    }
    if let Some(share) = row.share() {
        let width = RIGHT_WIDTH * share.min(1.05);
        writeln!(
            svg,
            "<rect class=\"share\" x=\"{RIGHT}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{thick}\"/>"
        )?;
    }
    Ok(())
}

/// Returns the x position of a ratio, on a logarithmic scale.
fn at(ratio: f64) -> f64 {
    let place = (ratio.clamp(LEAST, MOST) / LEAST).ln() / (MOST / LEAST).ln();
    LEFT + LEFT_WIDTH * place
}
