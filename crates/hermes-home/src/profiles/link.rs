//! Whether a symbolic link stays inside the folder it is part of.
//!
//! Tidying up `a/../b` on paper is not enough: if `a` is itself a link, the
//! kernel goes up from where `a` leads. So `..` is allowed only at the front,
//! where it counts from the link's own folder, which is known to be a real one.
//! What follows may pass through other links, each of which obeys the same rule.

use std::path::{Component, Path};

/// Whether a link `depth` folders below the top leads to something below the top.
pub(super) fn stays_inside(depth: usize, target: &Path) -> bool {
    let mut components = target.components().filter(|component| *component != Component::CurDir).peekable();
    let mut upwards = 0;
    while components.next_if_eq(&Component::ParentDir).is_some() {
        upwards += 1;
    }
    upwards <= depth && components.all(|component| matches!(component, Component::Normal(_)))
}

/// How many folders there are between the top and the entry at this relative path.
pub(super) fn depth(relative: &Path) -> usize {
    relative.components().count().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::stays_inside;

    #[test]
    fn links_are_judged_by_where_the_kernel_would_go() {
        let check = |depth: usize, target: &str, expected: bool| {
            assert_eq!(stays_inside(depth, Path::new(target)), expected, "{target} at depth {depth}");
        };
        check(0, "file", true);
        check(0, "./folder/file", true);
        check(0, "..", false);
        check(0, "../other", false);
        check(1, "..", true);
        check(1, "../file", true);
        check(1, "./../file", true);
        check(1, "../../file", false);
        check(2, "../../file", true);
        check(0, "/etc/passwd", false);
        check(0, "folder/../file", false);
        check(0, "folder/../../etc", false);
        check(1, "link/../../etc", false);
    }
}
