//! Counts of one source file.

use syn::visit::{self, Visit};
use syn::{
    Arm, Attribute, Block, Expr, ExprMethodCall, FnArg, GenericArgument, Ident, ItemMod, Local,
    Pat, PathArguments, Signature, Stmt, Type,
};

/// Construct that is counted.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Advice on what to write instead.
    pub(super) instead: &'static str,
}

/// Constructs that are counted, in the order of the columns of the table.
pub(super) const KINDS: [Kind; 5] = [
    Kind {
        name: "silent sums",
        instead: "an index, a position or a size of data that overflows is an error (checked_… and a Bug), not the largest number",
    },
    Kind {
        name: "tuple parameters",
        instead: "values of different types that belong together are a named type",
    },
    Kind {
        name: "shadow chains",
        instead: "`let x = …; let x = x.…;` is one expression, or two names",
    },
    Kind {
        name: "participle types",
        instead: "a type is named by a noun that one can search for",
    },
    Kind {
        name: "datatype arms",
        instead: "a property of datatypes is a method of tdb-tile's Datatype, a loop over their values goes through with_scalar!",
    },
];

/// Number of occurrences of each of [`KINDS`] outside of tests.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Counts([usize; KINDS.len()]);

impl Counts {
    /// Creates counts in the order of [`KINDS`]; `None` if there are more or fewer.
    pub(super) fn new(counts: &[usize]) -> Option<Self> {
        counts.try_into().ok().map(Self)
    }

    pub(super) fn all(&self) -> [usize; KINDS.len()] {
        self.0
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (sum, count) in self.0.iter_mut().zip(other.0) {
            *sum += count;
        }
    }
}

/// Counts the constructs in a source file.
///
/// # Errors
/// Source that is not Rust.
pub(super) fn of(source: &str) -> syn::Result<Counts> {
    let file = syn::parse_file(source)?;
    let mut counter = Counter::default();
    counter.visit_file(&file);
    Ok(Counts([
        counter.silent_sums,
        counter.tuple_parameters,
        counter.shadow_chains,
        counter.participle_types,
        counter.datatype_arms,
    ]))
}

#[derive(Default)]
struct Counter {
    silent_sums: usize,
    tuple_parameters: usize,
    shadow_chains: usize,
    participle_types: usize,
    datatype_arms: usize,
}

impl<'ast> Visit<'ast> for Counter {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.name(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.name(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.name(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let method = call.method.to_string();
        let is_silent = match method.as_str() {
            "unwrap_or" => is_checked(&call.receiver),
            "min" => call.args.iter().any(is_largest),
            method => method.starts_with("saturating_") || method.starts_with("wrapping_"),
        };
        self.silent_sums += usize::from(is_silent);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.datatype_arms += usize::from(names_datatype(&arm.pat));
        visit::visit_arm(self, arm);
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        let types = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(&*typed.ty),
            FnArg::Receiver(_) => None,
        });
        self.tuple_parameters += types.filter(|kind| is_mixed_tuple(kind)).count();
        visit::visit_signature(self, signature);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let pairs = block.stmts.iter().zip(block.stmts.iter().skip(1));
        self.shadow_chains += pairs
            .filter(|(first, second)| is_chain(first, second))
            .count();
        visit::visit_block(self, block);
    }
}

impl Counter {
    fn name(&mut self, name: &Ident) {
        self.participle_types += usize::from(is_participle(&name.to_string()));
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// True if an expression calls a method `checked_…`.
fn is_checked(expression: &Expr) -> bool {
    matches!(expression, Expr::MethodCall(call) if call.method.to_string().starts_with("checked_"))
}

/// True if an expression is `MAX` of a type.
fn is_largest(expression: &Expr) -> bool {
    let Expr::Path(path) = expression else {
        return false;
    };
    let last = path.path.segments.last();
    path.path.segments.len() == 2 && last.is_some_and(|last| last.ident == "MAX")
}

/// True if a pattern names a value of `Datatype`.
fn names_datatype(pattern: &Pat) -> bool {
    match pattern {
        Pat::Path(path) => path
            .path
            .segments
            .iter()
            .any(|segment| segment.ident == "Datatype"),
        Pat::Or(any) => any.cases.iter().any(names_datatype),
        Pat::Tuple(all) => all.elems.iter().any(names_datatype),
        _ => false,
    }
}

/// True if a type is a tuple, or a reference to one, whose members have different types.
fn is_mixed_tuple(kind: &Type) -> bool {
    match kind {
        Type::Reference(reference) => is_mixed_tuple(&reference.elem),
        Type::Tuple(tuple) => {
            let mut names = tuple.elems.iter().map(name_of);
            let first = names.next();
            names.any(|name| Some(name) != first)
        }
        _ => false,
    }
}

/// Returns the text of a type, in enough detail to compare types.
fn name_of(kind: &Type) -> String {
    match kind {
        Type::Reference(reference) => format!("&{}", name_of(&reference.elem)),
        Type::Slice(slice) => format!("[{}]", name_of(&slice.elem)),
        Type::Array(array) => format!("[{}; N]", name_of(&array.elem)),
        Type::Tuple(tuple) => {
            let names: Vec<String> = tuple.elems.iter().map(name_of).collect();
            format!("({})", names.join(", "))
        }
        Type::Path(path) => {
            let segments = path.path.segments.iter().map(|segment| {
                let arguments = match &segment.arguments {
                    PathArguments::AngleBracketed(all) => {
                        let types = all.args.iter().filter_map(|argument| match argument {
                            GenericArgument::Type(kind) => Some(name_of(kind)),
                            _ => None,
                        });
                        types.collect::<Vec<_>>().join(", ")
                    }
                    _ => String::new(),
                };
                format!("{}<{arguments}>", segment.ident)
            });
            segments.collect::<Vec<_>>().join("::")
        }
        _ => "other".to_owned(),
    }
}

/// True if the second of two statements calls methods on the variable of the first, and gives the result the same
/// name.
fn is_chain(first: &Stmt, second: &Stmt) -> bool {
    let (Stmt::Local(first), Stmt::Local(second)) = (first, second) else {
        return false;
    };
    let (Some(name), Some(again)) = (name_of_local(first), name_of_local(second)) else {
        return false;
    };
    let begins = second.init.as_ref().and_then(|init| receiver(&init.expr));
    name == again && begins.is_some_and(|receiver| receiver == name)
}

/// Returns the variable at the start of a chain of method calls.
fn receiver(expression: &Expr) -> Option<&Ident> {
    match expression {
        Expr::Await(of) => receiver(&of.base),
        Expr::Field(of) => receiver(&of.base),
        Expr::MethodCall(of) => receiver(&of.receiver),
        Expr::Path(path) => path.path.get_ident(),
        Expr::Try(of) => receiver(&of.expr),
        _ => None,
    }
}

fn name_of_local(local: &Local) -> Option<&Ident> {
    let pattern = match &local.pat {
        Pat::Type(typed) => &*typed.pat,
        pattern => pattern,
    };
    match pattern {
        Pat::Ident(ident) => Some(&ident.ident),
        _ => None,
    }
}

/// Words that are not nouns, besides those that end in "ed".
const NO_NOUNS: [&str; 30] = [
    "Asked", "Becoming", "Begun", "Chosen", "Done", "Filling", "Found", "Given", "Held", "How",
    "Kept", "Known", "Left", "Lost", "Made", "May", "Meant", "Opening", "Said", "Seen", "Sought",
    "Taken", "Told", "Way", "What", "Where", "Which", "Who", "Wrong", "Written",
];

/// Nouns that end in "ed".
const NOUNS: [&str; 4] = ["Feed", "Need", "Seed", "Speed"];

/// True if the name of a type is a single word that is not a noun.
fn is_participle(name: &str) -> bool {
    let words = name.chars().filter(|letter| letter.is_ascii_uppercase());
    let ends_so = name.ends_with("ed") && !NOUNS.contains(&name);
    words.count() == 1 && (ends_so || NO_NOUNS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(source: &str) -> [usize; 5] {
        of(source).unwrap().all()
    }

    #[test]
    fn silent_sums_are_counted() {
        let source = "fn f(a: usize) -> usize {
            let b = a.saturating_add(1).wrapping_mul(2);
            let c = b.checked_sub(1).unwrap_or(0);
            let d = c.min(u32::MAX).min(7);
            d.checked_add(1).ok_or(0).unwrap_or(3)
        }
        #[cfg(test)]
        mod tests { fn f(a: usize) -> usize { a.saturating_add(1) } }";
        assert_eq!(counts(source), [4, 0, 0, 0, 0]);
    }

    #[test]
    fn tuples_of_unlike_things_are_counted() {
        let source =
            "fn f(a: (u32, String), b: &(u8, u8), c: (&[u8], &[u8]), d: &(Vec<u8>, Vec<u16>)) {}
            impl X { fn g(&self, (a, b): (A, B)) {} }";
        assert_eq!(counts(source), [0, 3, 0, 0, 0]);
    }

    #[test]
    fn chains_are_counted() {
        let source = "fn f() {
            let a = g(); let a = a.h()?.k; let a: u32 = k(a);
            let b = 1; let b = 2;
            let c = 1; d(); let c = c + 1;
        }";
        assert_eq!(counts(source), [0, 0, 1, 0, 0]);
    }

    #[test]
    fn participles_are_counted() {
        let source = "struct Told; enum Way {} type Opened = (); struct OpenedArray; struct Seed; struct Mapping;";
        assert_eq!(counts(source), [0, 0, 0, 3, 0]);
    }

    #[test]
    fn arms_of_datatypes_are_counted() {
        let source = "fn f(a: Datatype) -> u8 { match (a, 1) {
            (Datatype::Int8 | Datatype::UInt8, _) => 1,
            (Datatype::Char, 1) => 2,
            _ => match a { Datatype::Blob => 3, tdb_tile::Datatype::Bool => 4, other => g(other) },
        } }";
        assert_eq!(counts(source), [0, 0, 0, 0, 4]);
    }
}
