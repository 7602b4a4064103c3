//! Parsing the modules of a crate: what each defines, imports and names.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree, Visibility};

/// A path in the source, and the line where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) path: Vec<String>,
    pub(super) line: usize,
}

/// A module, without its tests.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Path of names from the root of the crate; empty for the root.
    pub(super) path: Vec<String>,
    pub(super) file: String,
    /// For an inline module, the module whose file contains it.
    pub(super) within: Option<usize>,
    pub(super) parent: Option<usize>,
    pub(super) children: BTreeMap<String, usize>,
    pub(super) defines: BTreeSet<String>,
    /// Names imported by `use`, with the paths they stand for.
    pub(super) imports: BTreeMap<String, Vec<String>>,
    /// Paths of `use path::*`.
    pub(super) globs: Vec<Vec<String>>,
    /// Paths that the code names or imports for itself. A `pub use` only re-exports, and is not included.
    pub(super) mentions: Vec<Mention>,
}

/// Parses all modules reachable from the file `root`; `read` returns the text of a file of the crate.
pub(super) fn modules(
    root: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Module>, Box<dyn Error>> {
    let mut modules = vec![Module {
        file: root.to_owned(),
        ..Module::default()
    }];
    let mut to_read = vec![(0, root.to_owned())];
    while let Some((number, file)) = to_read.pop() {
        let text = read(&file).ok_or_else(|| format!("no file {file}"))?;
        let parsed = syn::parse_file(&text).map_err(|error| {
            let at = error.span().start();
            format!("{file}:{}: {error}", at.line)
        })?;
        let folder = folder_of_children(&file, number == 0);
        let mut to_visit = vec![(number, folder, parsed.items)];
        while let Some((number, folder, items)) = to_visit.pop() {
            let mut here = Visitor::default();
            items.iter().for_each(|item| here.visit_item(item));
            for declared in here.declared {
                let name = declared.ident.to_string();
                let child = modules.len();
                let parent = modules.get_mut(number).ok_or("no such module")?;
                parent.children.insert(name.clone(), child);
                let mut module = Module {
                    path: [parent.path.clone(), vec![name.clone()]].concat(),
                    parent: Some(number),
                    ..Module::default()
                };
                if let Some((_, items)) = declared.content {
                    module.file = parent.file.clone();
                    module.within = Some(parent.within.unwrap_or(number));
                    to_visit.push((child, format!("{folder}{name}/"), items));
                } else {
                    let beside = format!("{folder}{name}.rs");
                    let inside = format!("{folder}{name}/mod.rs");
                    let is_beside = read(&beside).is_some();
                    module.file = if is_beside { beside } else { inside };
                    to_read.push((child, module.file.clone()));
                }
                modules.push(module);
            }
            let module = modules.get_mut(number).ok_or("no such module")?;
            module.defines = here.defines;
            module.imports = here.imports;
            module.globs = here.globs;
            module.mentions = here.mentions;
        }
    }
    Ok(modules)
}

/// Returns the folder for the files of the modules that `file` declares: `src/a/` for both `src/a.rs` and
/// `src/a/mod.rs`.
fn folder_of_children(file: &str, is_root: bool) -> String {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    if is_root || name == "mod.rs" {
        return format!("{folder}/");
    }
    format!("{folder}/{}/", name.trim_end_matches(".rs"))
}

/// Contents of one module, without the modules that it declares.
#[derive(Default)]
struct Visitor {
    declared: Vec<ItemMod>,
    defines: BTreeSet<String>,
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    mentions: Vec<Mention>,
    /// Number of open functions and blocks; their definitions are local.
    depth: usize,
}

impl Visitor {
    fn import(&mut self, tree: &UseTree, before: &[String], is_handed_on: bool) {
        let (ident, name) = match tree {
            UseTree::Path(path) => {
                let before = [before, &[path.ident.to_string()]].concat();
                return self.import(&path.tree, &before, is_handed_on);
            }
            UseTree::Group(group) => {
                let each = group.items.iter();
                return each.for_each(|tree| self.import(tree, before, is_handed_on));
            }
            UseTree::Glob(_) => return self.globs.push(before.to_vec()),
            UseTree::Name(name) => (&name.ident, name.ident.to_string()),
            UseTree::Rename(rename) => (&rename.ident, rename.rename.to_string()),
        };
        // `use a::{self}` imports `a`.
        let is_self = ident == "self" && !before.is_empty();
        let mut path = before.to_vec();
        let mut name = name;
        if is_self {
            if let (UseTree::Name(_), Some(last)) = (tree, before.last()) {
                name.clone_from(last);
            }
        } else {
            path.push(ident.to_string());
        }
        if !is_handed_on {
            self.mentions.push(Mention {
                path: path.clone(),
                line: ident.span().start().line,
            });
        }
        self.imports.insert(name, path);
    }

    /// Collects paths from the tokens of a macro, which are not parsed: names with `::` between them.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut to_see = vec![tokens];
        while let Some(tokens) = to_see.pop() {
            let mut path: Vec<Ident> = Vec::new();
            let mut colons = 0;
            for token in tokens {
                match token {
                    TokenTree::Ident(ident) => {
                        if colons != 2 {
                            self.mention(std::mem::take(&mut path));
                        }
                        path.push(ident);
                        colons = 0;
                    }
                    TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => {
                        colons += 1;
                    }
                    other => {
                        self.mention(std::mem::take(&mut path));
                        colons = 0;
                        if let TokenTree::Group(group) = other {
                            to_see.push(group.stream());
                        }
                    }
                }
            }
            self.mention(path);
        }
    }

    fn mention(&mut self, path: Vec<Ident>) {
        let Some(first) = path.first() else {
            return;
        };
        self.mentions.push(Mention {
            line: first.span().start().line,
            path: path.iter().map(Ident::to_string).collect(),
        });
    }
}

impl<'ast> Visit<'ast> for Visitor {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes(item)) {
            return;
        }
        if let Item::Mod(declared) = item {
            return self.declared.push(declared.clone());
        }
        if let (0, Some(name)) = (self.depth, name(item)) {
            self.defines.insert(name.to_string());
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_none() {
            let is_handed_on = !matches!(item.vis, Visibility::Inherited);
            self.import(&item.tree, &[], is_handed_on);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        if let syn::ImplItem::Fn(function) = item
            && is_for_tests(&function.attrs)
        {
            return;
        }
        visit::visit_impl_item(self, item);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.depth += 1;
        visit::visit_block(self, block);
        self.depth -= 1;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names = path.segments.iter().map(|segment| segment.ident.clone());
            self.mention(names.collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.tokens(mac.tokens.clone());
        visit::visit_macro(self, mac);
    }

    // Naming something in `pub(in a::b)` or `#[derive(A)]` is not a use of it.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

/// True if `#[cfg(test)]` excludes an item from normal builds.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        list.path.is_ident("cfg") && {
            let mut tokens = list.tokens.clone().into_iter();
            let first = tokens.next().map(|token| token.to_string());
            let rest = tokens.next();
            match (first.as_deref(), rest) {
                (Some("test"), None) => true,
                (Some("all"), Some(TokenTree::Group(all))) => {
                    let mut all = all.stream().into_iter();
                    all.any(|token| token.to_string() == "test")
                }
                _ => false,
            }
        }
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref(),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        _ => None,
    }
}
