//! The form of a text: whether it is one plain command, and where programs stand in it.
//!
//! Both answers say yes only for forms that are listed here. A form that is not listed is "not
//! sure", whatever it would do.

use brush_parser::ast::{
    AndOr, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, IoFileRedirectKind, IoRedirect,
    Pipeline, Program, SeparatorOperator, SimpleCommand,
};

use super::parse::{self, Parsed};

/// Whether the text is exactly one simple command: no list, pipeline, group, redirect, assignment
/// or background. What its words substitute is the reader's to tell.
pub(crate) fn is_one_plain_command(text: &str) -> bool {
    with_program(text, |program| only_simple(program).is_some_and(is_plain)).unwrap_or(false)
}

/// Where programs of this name stand, unquoted and in the place of a command, as counts of
/// characters. Nothing where the text holds a form in which that does not tell how often and in
/// what order they run.
pub(crate) fn places_of(name: &str, text: &str) -> Option<Vec<usize>> {
    with_program(text, |program| {
        let mut places = Vec::new();
        program.complete_commands.iter().try_for_each(|list| in_list(list, name, &mut places))?;
        Some(places)
    })?
}

fn with_program<T: Send>(text: &str, look: impl FnOnce(&Program) -> T + Send) -> Option<T> {
    if text.len() > super::limits::CHARACTERS {
        return None;
    }
    parse::with_stack_for(text, |_| match parse::parse(text) {
        Parsed::Program(program) => Some(look(&program)),
        Parsed::NotBash | Parsed::TooDeep => None,
    })?
}

fn only_simple(program: &Program) -> Option<&SimpleCommand> {
    let [list] = program.complete_commands.as_slice() else { return None };
    let [item] = list.0.as_slice() else { return None };
    let is_alone = item.0.additional.is_empty() && matches!(item.1, SeparatorOperator::Sequence);
    let Pipeline { timed: None, bang: false, seq, .. } = &item.0.first else { return None };
    match seq.as_slice() {
        [Command::Simple(simple)] if is_alone => Some(simple),
        _ => None,
    }
}

fn is_plain(simple: &SimpleCommand) -> bool {
    let mut suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
    simple.prefix.is_none()
        && simple.word_or_name.is_some()
        && suffix.all(|item| matches!(item, Item::Word(_) | Item::AssignmentWord(..)))
}

fn in_list(list: &CompoundList, name: &str, places: &mut Vec<usize>) -> Option<()> {
    for item in &list.0 {
        match item.1 {
            SeparatorOperator::Sequence => {}
            SeparatorOperator::Async => return None,
        }
        in_pipeline(&item.0.first, name, places)?;
        for next in &item.0.additional {
            let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = next;
            in_pipeline(pipeline, name, places)?;
        }
    }
    Some(())
}

fn in_pipeline(pipeline: &Pipeline, name: &str, places: &mut Vec<usize>) -> Option<()> {
    pipeline.seq.iter().try_for_each(|command| match command {
        Command::Simple(simple) => in_simple(simple, name, places),
        Command::Compound(CompoundCommand::BraceGroup(group), None) => in_list(&group.list, name, places),
        Command::Compound(CompoundCommand::Subshell(group), None) => in_list(&group.list, name, places),
        Command::Compound(CompoundCommand::IfClause(clause), None) => {
            in_list(&clause.condition, name, places)?;
            in_list(&clause.then, name, places)?;
            clause.elses.iter().flatten().try_for_each(|other| {
                other.condition.iter().try_for_each(|condition| in_list(condition, name, places))?;
                in_list(&other.body, name, places)
            })
        }
        Command::ExtendedTest(_, None) => Some(()),
        Command::Compound(..) | Command::ExtendedTest(..) | Command::Function(_) => None,
    })
}

/// An assignment may change which program a name means, a redirect of the input what it reads.
fn in_simple(simple: &SimpleCommand, name: &str, places: &mut Vec<usize>) -> Option<()> {
    let mut prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
    let mut suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
    let moves_input = |item: &Item| matches!(item, Item::IoRedirect(redirect) if redirects_input(redirect));
    if prefix.any(|item| matches!(item, Item::AssignmentWord(..)) || moves_input(item)) || suffix.any(moves_input) {
        return None;
    }
    if let Some(word) = simple.word_or_name.as_ref().filter(|word| word.value == name) {
        places.push(word.loc.as_ref()?.start.index);
    }
    Some(())
}

/// Documents aside: what they feed is known.
fn redirects_input(redirect: &IoRedirect) -> bool {
    match redirect {
        IoRedirect::File(descriptor, kind, _) => {
            let writes = matches!(
                kind,
                IoFileRedirectKind::Write
                    | IoFileRedirectKind::Append
                    | IoFileRedirectKind::Clobber
                    | IoFileRedirectKind::DuplicateOutput
            );
            !writes || *descriptor == Some(0)
        }
        IoRedirect::HereDocument(..) | IoRedirect::HereString(..) | IoRedirect::OutputAndError(..) => false,
    }
}
