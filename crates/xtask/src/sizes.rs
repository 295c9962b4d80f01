//! No monsters: production files of at most 800 lines, functions of at most 100.
//!
//! Medians do not tell a good codebase from a bad one, the tail does. Code under
//! `#[cfg(test)]` does not count, so that tests are never squeezed to fit.

use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

const LONGEST_FILE: usize = 800;
const LONGEST_FUNCTION: usize = 100;

/// What one file holds beyond the limits.
fn oversized(path: &Path, text: &str) -> Vec<String> {
    let file = match syn::parse_file(text) {
        Ok(file) => file,
        Err(error) => return vec![format!("{}: {error}", path.display())],
    };
    let mut functions = Functions { path, found: Vec::new(), test_lines: 0 };
    functions.visit_file(&file);
    let mut found = functions.found;
    let lines = text.lines().count() - functions.test_lines;
    if lines > LONGEST_FILE {
        found.push(format!("{}: {lines} lines, at most {LONGEST_FILE}", path.display()));
    }
    found
}

struct Functions<'a> {
    path: &'a Path,
    found: Vec<String>,
    test_lines: usize,
}

impl Functions<'_> {
    fn measure(&mut self, name: &syn::Ident, body: &impl Spanned) {
        let lines = lines_of(body);
        if lines > LONGEST_FUNCTION {
            let line = name.span().start().line;
            let path = self.path.display();
            self.found.push(format!("{path}:{line}: function {name} has {lines} lines, at most {LONGEST_FUNCTION}"));
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.attrs.iter().any(is_test_only) {
            self.test_lines += lines_of(module);
            return;
        }
        visit::visit_item_mod(self, module);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.measure(&function.sig.ident, function);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.measure(&function.sig.ident, function);
        visit::visit_impl_item_fn(self, function);
    }
}

fn is_test_only(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
}

fn lines_of(item: &impl Spanned) -> usize {
    let span = item.span();
    span.end().line - span.start().line + 1
}

/// Every Rust file below `folder`.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{oversized, rust_files};
    use std::path::Path;

    #[test]
    fn no_production_file_or_function_is_too_long() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut checked = 0;
        let mut found = Vec::new();
        for folder in std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path()) {
            let files = rust_files(&folder.join("src"));
            assert!(!files.is_empty(), "{} holds no source", folder.display());
            for file in files {
                found.extend(oversized(&file, &std::fs::read_to_string(&file).unwrap()));
                checked += 1;
            }
        }
        assert_eq!(found, Vec::<String>::new());
        assert!(checked > 20, "only {checked} files were checked");
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(oversized(Path::new("x.rs"), text), expected);
    }

    #[test]
    fn long_functions_and_files_are_found() {
        let body = |lines: usize| "    let _ = 1;\n".repeat(lines);
        check(&format!("fn fits() {{\n{}}}\n", body(98)), &[]);
        check(&format!("fn long() {{\n{}}}\n", body(99)), &["x.rs:1: function long has 101 lines, at most 100"]);
        check(
            &format!("struct A;\nimpl A {{\nfn method(&self) {{\n{}}}\n}}\n", body(120)),
            &["x.rs:3: function method has 122 lines, at most 100"],
        );
        check(&"const A: u8 = 1;\n".repeat(800), &[]);
        check(&"const A: u8 = 1;\n".repeat(801), &["x.rs: 801 lines, at most 800"]);
    }

    #[test]
    fn test_modules_do_not_count() {
        let tests = format!("#[cfg(test)]\nmod tests {{\nfn long() {{\n{}}}\n}}\n", "    let _ = 1;\n".repeat(900));
        check(&format!("fn short() {{}}\n{tests}"), &[]);
        check(
            &tests.replace("cfg(test)", "cfg(unix)"),
            &["x.rs:3: function long has 902 lines, at most 100", "x.rs: 905 lines, at most 800"],
        );
    }
}
