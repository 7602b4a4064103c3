//! Drawings of boxes and text, as SVG 1.1.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use tdb::WholeFile;

use crate::failure::Failure;
use crate::paint::visible;

/// Width and height of the drawing area, without the margin.
pub(crate) const FIELD: (f64, f64) = (800.0, 500.0);

/// Margin with the names and the ends of both axes.
const MARGIN: f64 = 48.0;

/// An SVG drawing under construction.
#[derive(Debug)]
pub(crate) struct Svg(String);

/// A box: horizontal and vertical extent, each from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SvgBox {
    pub(crate) right: (f64, f64),
    pub(crate) down: (f64, f64),
}

/// An axis of a drawing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SvgAxis<'a> {
    /// Name of the axis.
    pub(crate) name: &'a str,
    /// Labels at its start and its end.
    pub(crate) ends: [&'a str; 2],
}

impl Svg {
    /// Creates a white page with the names and end labels of both axes: left to right, and top to bottom.
    pub(crate) fn new(right: SvgAxis<'_>, down: SvgAxis<'_>) -> Self {
        let (width, height) = (FIELD.0 + 2.0 * MARGIN, FIELD.1 + 2.0 * MARGIN);
        let mut svg = Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
             font-size=\"14\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        ));
        let line = MARGIN * 0.7;
        for (part, anchor, text) in texts(right) {
            let x = MARGIN + part * FIELD.0;
            svg.line(&format!(
                "<text x=\"{x}\" y=\"{line:.1}\" text-anchor=\"{anchor}\">{text}</text>"
            ));
        }
        for (part, anchor, text) in texts(down) {
            // Text rotated to the left starts at its lower end, so the anchors are swapped.
            let anchor = match anchor {
                "start" => "end",
                "end" => "start",
                other => other,
            };
            let y = MARGIN + part * FIELD.1;
            svg.line(&format!(
                "<text x=\"{line:.1}\" y=\"{y}\" text-anchor=\"{anchor}\" transform=\"rotate(-90 {line:.1} {y})\">{text}</text>"
            ));
        }
        svg
    }

    /// Begins a group of boxes with one colour and a tooltip.
    pub(crate) fn begin(&mut self, [red, green, blue]: [u8; 3], title: &str) {
        let title = escaped(title);
        let colour = format!("#{red:02x}{green:02x}{blue:02x}");
        self.line(&format!(
            "<g stroke=\"{colour}\" fill=\"{colour}\"><title>{title}</title>"
        ));
    }

    /// Adds a box to the current group. `opacity` is that of its interior, from 0 to 1; `border` is in points.
    pub(crate) fn rectangle(&mut self, place: SvgBox, opacity: f64, border: f64) {
        let SvgBox { right, down } = place;
        let (x, y) = (MARGIN + right.0 * FIELD.0, MARGIN + down.0 * FIELD.1);
        // Boxes are at least one pixel wide and high, so that they are visible.
        let width = ((right.1 - right.0) * FIELD.0).max(1.0);
        let height = ((down.1 - down.0) * FIELD.1).max(1.0);
        self.line(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill-opacity=\"{opacity}\" \
             stroke-width=\"{border}\"/>"
        ));
    }

    /// Ends the current group.
    pub(crate) fn end(&mut self) {
        self.line("</g>");
    }

    /// Writes the drawing to a file, which appears complete or not at all.
    pub(crate) fn write(mut self, file: &Path) -> Result<(), Failure> {
        self.line("</svg>");
        let (begun, mut to) = WholeFile::begin(file)?;
        to.write_all(self.0.as_bytes())?;
        to.flush()?;
        Ok(begun.finish()?)
    }

    fn line(&mut self, text: &str) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.0, "{text}");
    }
}

/// Position along the axis, alignment and content of each label.
fn texts(axis: SvgAxis<'_>) -> [(f64, &'static str, String); 3] {
    let [begin, end] = axis.ends.map(escaped);
    [
        (0.0, "start", begin),
        (0.5, "middle", escaped(axis.name)),
        (1.0, "end", end),
    ]
}

/// Escapes text for XML, and control characters as for a terminal.
fn escaped(text: &str) -> String {
    visible(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
