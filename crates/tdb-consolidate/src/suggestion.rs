//! Which fragments a merge should put together, so that fragments have a certain size and do not overlap.

use tdb_array::{Array, ArrayError, Fragment};
use tdb_schema::ArraySchema;
use tdb_tile::{Exact, Range};

/// Returns groups of fragments by name, each to be merged on its own, so that the fragments do not overlap and have
/// about `size` bytes. Fragments that overlap come together, and then small ones whose common box touches no other. A
/// fragment that is half as large again as wanted is a group of its own: it should be split. Fragments that are in no
/// group should stay as they are.
///
/// # Errors
/// Any error of the store, or bounds that cannot be compared.
pub fn suggest_merges(array: &Array, size: u64) -> Result<Vec<Vec<String>>, ArrayError> {
    let fragments: Vec<&Fragment> = array.fragments().iter().collect();
    let mut nodes = Vec::with_capacity(fragments.len());
    for (fragment, bytes) in fragments.iter().zip(array.stored_sizes(&fragments)) {
        nodes.push(Node {
            names: vec![fragment.name.as_str().to_owned()],
            bounds: fragment.metadata.non_empty_domain.clone(),
            bytes: bytes?,
        });
    }
    let schema = array.schema();
    while join_first(&mut nodes, schema, |_, a, b| {
        overlap(schema, &a.bounds, &b.bounds)
    })? {}
    let small = size / 2;
    let fits = |others: &[Node], a: &Node, b: &Node| {
        let both = union(schema, &a.bounds, &b.bounds);
        a.bytes <= small
            && b.bytes <= small
            && !others.iter().any(|other| {
                other.names != a.names
                    && other.names != b.names
                    && overlap(schema, &other.bounds, &both)
            })
    };
    while join_first(&mut nodes, schema, fits)? {}
    // No fragment is as large as a size that cannot be counted.
    let large = size.checked_add(small);
    let (joined, single): (Vec<Node>, Vec<Node>) =
        nodes.into_iter().partition(|node| node.names.len() > 1);
    let split = single
        .into_iter()
        .filter(|node| large.is_some_and(|large| node.bytes >= large));
    Ok(joined
        .into_iter()
        .chain(split)
        .map(|node| node.names)
        .collect())
}

/// Fragments that are to be merged.
struct Node {
    names: Vec<String>,
    /// The common box of the fragments.
    bounds: Vec<Range>,
    bytes: u64,
}

/// Joins the nodes of each pair for which `wanted` holds, the first node with all later ones; false if there was none.
fn join_first(
    nodes: &mut Vec<Node>,
    schema: &ArraySchema,
    wanted: impl Fn(&[Node], &Node, &Node) -> bool,
) -> Result<bool, ArrayError> {
    let mut has_joined = false;
    let mut first = 0_usize;
    while first < nodes.len() {
        let mut second = first.exact_add(1)?;
        while second < nodes.len() {
            let (Some(a), Some(b)) = (nodes.get(first), nodes.get(second)) else {
                break;
            };
            if !wanted(nodes, a, b) {
                second = second.exact_add(1)?;
                continue;
            }
            let mut other = nodes.remove(second);
            if let Some(node) = nodes.get_mut(first) {
                node.bounds = union(schema, &node.bounds, &other.bounds);
                node.bytes = node.bytes.exact_add(other.bytes)?;
                node.names.append(&mut other.names);
            }
            has_joined = true;
        }
        first = first.exact_add(1)?;
    }
    Ok(has_joined)
}

fn overlap(schema: &ArraySchema, a: &[Range], b: &[Range]) -> bool {
    let mut sides = a.iter().zip(b).zip(&schema.dimensions);
    sides.all(|((a, b), dimension)| a.intersects(dimension.datatype, b))
}

fn union(schema: &ArraySchema, a: &[Range], b: &[Range]) -> Vec<Range> {
    let pairs = a.iter().zip(b).zip(&schema.dimensions);
    let sides = pairs.map(|((a, b), dimension)| a.union(dimension.datatype, b));
    sides.collect()
}
