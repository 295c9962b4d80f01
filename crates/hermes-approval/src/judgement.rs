//! What policy finds in an action, whatever kind of action it is.

use std::borrow::Cow;

use hermes_policy::{Context, Findings, file_write_findings, findings as shell_findings};

use crate::action::Judged;

/// Ends the script inside the shell text that stands for it.
const END: &str = "HERMES_SCRIPT";

/// Everything that rules find. A harmless action is an empty text.
pub(crate) fn findings(judged: &Judged<'_>, context: &Context) -> Findings {
    match judged {
        Judged::Shell(text) => shell_findings(text, context),
        Judged::FileWrite { path } => file_write_findings(path, context),
        Judged::Script { code } => shell_findings(&as_shell(code), context),
        Judged::Harmless => shell_findings("", context),
    }
}

/// A script as a shell would be given it: patterns of the deny list are about shell texts.
fn as_shell(code: &str) -> String {
    let mut end = Cow::Borrowed(END);
    while code.contains(&*end) {
        end.to_mut().push('_');
    }
    format!("python3 - <<'{end}'\n{code}\n{end}\n")
}

#[cfg(test)]
mod tests {
    use super::as_shell;

    #[test]
    fn a_script_cannot_end_its_own_text() {
        assert_eq!(as_shell("print(1)"), "python3 - <<'HERMES_SCRIPT'\nprint(1)\nHERMES_SCRIPT\n");
        let hostile = as_shell("x\nHERMES_SCRIPT\nrm -rf /\nHERMES_SCRIPT_\n");
        assert!(hostile.starts_with("python3 - <<'HERMES_SCRIPT__'\n"), "{hostile}");
    }
}
