//! Drawings of boxes and text, as SVG 1.1.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use tdb::WholeFile;

use crate::failure::Failure;
use crate::paint::visible;

/// Width and height of what is drawn, without the margin around it.
pub(crate) const FIELD: (f64, f64) = (800.0, 500.0);

/// The margin, which has the names and the ends of both sides.
const MARGIN: f64 = 48.0;

/// A drawing that grows.
#[derive(Debug)]
pub(crate) struct Svg(String);

/// A box: from left to right and from top to bottom, each from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SvgBox {
    pub(crate) right: (f64, f64),
    pub(crate) down: (f64, f64),
}

/// A side of a drawing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SvgAxis<'a> {
    /// What lies along it.
    pub(crate) name: &'a str,
    /// What is at its beginning and at its end.
    pub(crate) ends: [&'a str; 2],
}

impl Svg {
    /// A white page with the names and the ends of both sides: from left to right, and from top to bottom.
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
            // What is turned to the left begins at its lower end.
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

    /// Begins boxes of one colour, which all tell `title` when one points at them.
    pub(crate) fn begin(&mut self, [red, green, blue]: [u8; 3], title: &str) {
        let title = escaped(title);
        let colour = format!("#{red:02x}{green:02x}{blue:02x}");
        self.line(&format!(
            "<g stroke=\"{colour}\" fill=\"{colour}\"><title>{title}</title>"
        ));
    }

    /// A box of the colour that was begun; `opacity` of its inside from 0 to 1, `border` in points.
    pub(crate) fn rectangle(&mut self, place: SvgBox, opacity: f64, border: f64) {
        let SvgBox { right, down } = place;
        let (x, y) = (MARGIN + right.0 * FIELD.0, MARGIN + down.0 * FIELD.1);
        // What is there shows.
        let width = ((right.1 - right.0) * FIELD.0).max(1.0);
        let height = ((down.1 - down.0) * FIELD.1).max(1.0);
        self.line(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill-opacity=\"{opacity}\" \
             stroke-width=\"{border}\"/>"
        ));
    }

    /// Ends the boxes of a colour.
    pub(crate) fn end(&mut self) {
        self.line("</g>");
    }

    /// Writes the drawing into a file, whole or not at all.
    pub(crate) fn write(mut self, file: &Path) -> Result<(), Failure> {
        self.line("</svg>");
        let (begun, mut to) = WholeFile::begin(file)?;
        to.write_all(self.0.as_bytes())?;
        to.flush()?;
        Ok(begun.finish()?)
    }

    fn line(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{text}");
    }
}

/// Where the texts of a side stand, as a part of it, how they are aligned, and what they say.
fn texts(axis: SvgAxis<'_>) -> [(f64, &'static str, String); 3] {
    let [begin, end] = axis.ends.map(escaped);
    [
        (0.0, "start", begin),
        (0.5, "middle", escaped(axis.name)),
        (1.0, "end", end),
    ]
}

/// Text between the tags of XML, without what a terminal would not show either.
fn escaped(text: &str) -> String {
    visible(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
