//! `cargo xtask walkthrough` and `cargo xtask guide`: runs docs/walkthrough.md and docs/guide.md, with tdb and TileDB
//! taking turns, and compares the output.
//!
//! Blocks in `sh` and `python` run one after the other in an empty folder; a `text` block after one of them is its
//! output. `--bless` replaces the output by the current one.

use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::commands::output;
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::Workshop;
use crate::workspace::root;

/// A fenced block of the page.
struct Block {
    language: String,
    text: String,
    /// Line numbers between the fences.
    lines: std::ops::Range<usize>,
}

/// Runs docs/walkthrough.md.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    walk("walkthrough", arguments)
}

/// Runs docs/guide.md.
pub(crate) fn guide(arguments: &[String]) -> Outcome {
    walk("guide", arguments)
}

/// Runs the blocks of a page.
fn walk(name: &str, arguments: &[String]) -> Outcome {
    let page_path = root().join(format!("docs/{name}.md"));
    let page = fs::read_to_string(&page_path)?;
    let workshop = Workshop::open()?;
    let folder = workshop.scratch().join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let path = programs::path_with(&programs::tdb()?)?;
    let blocks = blocks(&page);
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    let mut found = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let said = match block.language.as_str() {
            "sh" => told(
                Command::new("sh").args(["-ec", &block.text]),
                &folder,
                &path,
            ),
            "python" => told(
                Command::new(workshop.python()).args(["-c", &block.text]),
                &folder,
                &path,
            ),
            _ => continue,
        };
        let said = said.map_err(|error| format!("line {}: {error}", block.lines.start))?;
        let expected = blocks.get(index + 1).filter(|next| next.language == "text");
        found.push((block, said, expected));
    }
    let bless = arguments.iter().any(|argument| argument == "--bless");
    // Replaced from the end, so that the line numbers of earlier blocks stay valid.
    for (block, said, expected) in found.iter().rev() {
        let wanted = expected.map_or("", |block| &block.text);
        if wanted == said {
            continue;
        }
        match expected {
            Some(expected) if bless => {
                lines.splice(expected.lines.clone(), said.lines().map(str::to_owned));
            }
            _ => {
                let line = block.lines.start;
                return Err(format!(
                    "docs/{name}.md, line {line} prints:\n{said}instead of:\n{wanted}"
                )
                .into());
            }
        }
    }
    if bless {
        fs::write(page_path, lines.join("\n") + "\n")?;
    }
    println!("{} blocks of docs/{name}.md", found.len());
    Ok(())
}

/// Returns the output of a command.
fn told(command: &mut Command, folder: &Path, path: &OsStr) -> Result<String, Box<dyn Error>> {
    output(command.current_dir(folder).env("PATH", path))
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in page.lines().enumerate() {
        let fence = line.strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(language)) => {
                open = Some(Block {
                    language: language.to_owned(),
                    text: String::new(),
                    lines: number + 1..number + 1,
                });
            }
            (Some(block), Some(_)) => {
                block.lines.end = number;
                blocks.extend(open.take());
            }
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_what_stands_between_fences() {
        let found = blocks("a\n```sh\ntdb\n```\n\n```text\n1\n2\n```\n");
        let told: Vec<_> = found
            .iter()
            .map(|block| (&*block.language, &*block.text, block.lines.clone()))
            .collect();
        assert_eq!(told, [("sh", "tdb\n", 2..3), ("text", "1\n2\n", 6..8)]);
    }
}
