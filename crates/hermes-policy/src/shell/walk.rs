//! The walk over the parsed tree: lists, pipelines, branches, loops, functions.
//!
//! All branches are walked. An assignment in a branch or loop adds a value to its
//! variable instead of replacing it, because bash may or may not come by there.

use std::rc::Rc;

use brush_parser::ast::{
    AndOr, AndOrList, CaseClauseCommand, Command, CompoundCommand, CompoundList, ExtendedTestExpr, FunctionDefinition,
    IfClauseCommand, Pipeline, Program, RedirectList, SeparatorOperator, SubshellCommand,
};

use super::event::{Feed, Field, Simple, Trouble};
use super::expand::Mode;
use super::parse::{self, Parsed};
use super::scope::{Function, Value};
use super::{Event, Manner, Outcome, Reader};

impl Reader<'_> {
    /// Reads a text that would be run as a program.
    pub(super) fn read_text(&mut self, text: &str, feed: &Feed) -> Outcome {
        // Decoded or unescaped text may nest deeper than what it was written as.
        if self.budget.depth == 0 || parse::levels(text).min(super::limits::OPENERS) > self.levels {
            self.trouble(Trouble::TooDeep, text);
            return Outcome::default();
        }
        self.budget.depth -= 1;
        let outcome = match parse::parse(text) {
            Parsed::Program(program) => self.program(&program, feed),
            Parsed::NotBash => {
                self.trouble(Trouble::Unparsable, text);
                Outcome::default()
            }
            Parsed::TooDeep => {
                self.trouble(Trouble::TooDeep, text);
                Outcome::default()
            }
        };
        self.budget.depth += 1;
        outcome
    }

    /// Runs `walk` so that what it sets does not outlive it.
    pub(super) fn in_subshell(&mut self, walk: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        let before = self.scope.clone();
        let outcome = walk(self);
        self.scope = before;
        outcome
    }

    fn in_branch(&mut self, walk: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        self.scope.conditional += 1;
        let outcome = walk(self);
        self.scope.conditional -= 1;
        outcome
    }

    fn in_manner(&mut self, manner: Manner, walk: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        let before = std::mem::replace(&mut self.manner, manner);
        let outcome = walk(self);
        self.manner = before;
        outcome
    }

    fn program(&mut self, program: &Program, feed: &Feed) -> Outcome {
        let outcomes = program.complete_commands.iter().map(|list| self.list(list, feed)).collect();
        joined(outcomes)
    }

    /// Nothing more is read: the text is refused already.
    fn is_spent(&mut self) -> bool {
        if self.budget.commands == 0 {
            self.trouble(Trouble::TooMany, "");
        }
        self.budget.commands == 0 || self.budget.expansion == 0
    }

    fn list(&mut self, list: &CompoundList, feed: &Feed) -> Outcome {
        let mut outcomes = Vec::with_capacity(list.0.len());
        for item in &list.0 {
            if self.is_spent() {
                break;
            }
            let manner = match item.1 {
                SeparatorOperator::Async => Manner::Background,
                SeparatorOperator::Sequence => self.manner,
            };
            outcomes.push(self.in_manner(manner, |reader| reader.and_or(&item.0, feed)));
        }
        joined(outcomes)
    }

    fn and_or(&mut self, list: &AndOrList, feed: &Feed) -> Outcome {
        let mut outcomes = vec![self.pipeline(&list.first, feed)];
        for next in &list.additional {
            if self.is_spent() {
                break;
            }
            let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = next;
            outcomes.push(self.in_branch(|reader| reader.pipeline(pipeline, feed)));
        }
        joined(outcomes)
    }

    fn pipeline(&mut self, pipeline: &Pipeline, feed: &Feed) -> Outcome {
        if let [only] = pipeline.seq.as_slice() {
            return self.command(only, feed);
        }
        let manner = if self.manner == Manner::Background { Manner::Background } else { Manner::Piped };
        self.in_manner(manner, |reader| {
            reader.in_branch(|reader| {
                let mut feed = feed.clone();
                let mut last = Outcome::default();
                for command in &pipeline.seq {
                    if reader.is_spent() {
                        break;
                    }
                    last = reader.command(command, &feed);
                    feed = Feed::Pipe { sources: last.sources.clone(), text: last.output.clone() };
                }
                last
            })
        })
    }

    fn command(&mut self, command: &Command, feed: &Feed) -> Outcome {
        if self.budget.depth == 0 {
            self.trouble(Trouble::TooDeep, "");
            return Outcome::default();
        }
        self.budget.commands = self.budget.commands.saturating_sub(1);
        match command {
            Command::Simple(simple) => self.simple(simple, feed),
            Command::Compound(compound, redirects) => {
                let feed = self.compound_redirects(redirects.as_ref(), feed);
                self.budget.depth -= 1;
                let outcome = self.compound(compound, &feed);
                self.budget.depth += 1;
                outcome
            }
            Command::Function(definition) => self.define(definition),
            Command::ExtendedTest(test, redirects) => {
                self.compound_redirects(redirects.as_ref(), feed);
                self.test(&test.expr);
                Outcome::default()
            }
        }
    }

    /// Redirects of a whole group: a command without a name opens them.
    fn compound_redirects(&mut self, redirects: Option<&RedirectList>, feed: &Feed) -> Feed {
        let Some(redirects) = redirects else { return feed.clone() };
        let mut simple = Simple { feed: feed.clone(), folder: self.scope.folder.clone(), ..Simple::default() };
        for redirect in &redirects.0 {
            self.redirect(redirect, &mut simple);
        }
        let feed = simple.feed.clone();
        if !simple.redirects.is_empty() {
            self.events.push(Event::Command(simple.into()));
        }
        feed
    }

    pub(super) fn subshell_list(&mut self, subshell: &SubshellCommand, feed: &Feed) -> Outcome {
        if self.budget.depth == 0 {
            self.trouble(Trouble::TooDeep, "");
            return Outcome::default();
        }
        self.budget.depth -= 1;
        let outcome = self.list(&subshell.list, feed);
        self.budget.depth += 1;
        outcome
    }

    fn compound(&mut self, compound: &CompoundCommand, feed: &Feed) -> Outcome {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, feed),
            CompoundCommand::Subshell(group) => self.in_subshell(|reader| reader.list(&group.list, feed)),
            CompoundCommand::Arithmetic(command) => {
                self.arithmetic(&command.expr.value);
                Outcome::default()
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.arithmetic(&part.value);
                }
                self.repeated(&clause.body.list, feed)
            }
            CompoundCommand::ForClause(clause) => {
                self.loop_variable(&clause.variable_name, clause.values.as_deref());
                self.repeated(&clause.body.list, feed)
            }
            CompoundCommand::CaseClause(clause) => self.case(clause, feed),
            CompoundCommand::IfClause(clause) => self.condition(clause, feed),
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0, feed);
                self.repeated(&clause.1.list, feed)
            }
            CompoundCommand::Coprocess(coprocess) => {
                self.in_manner(Manner::Background, |reader| reader.command(&coprocess.body, feed))
            }
        }
    }

    fn case(&mut self, clause: &CaseClauseCommand, feed: &Feed) -> Outcome {
        self.fields(&clause.value.value);
        for item in &clause.cases {
            for pattern in &item.patterns {
                self.fields(&pattern.value);
            }
            if let Some(body) = &item.cmd {
                self.in_branch(|reader| reader.list(body, feed));
            }
        }
        Outcome::default()
    }

    fn condition(&mut self, clause: &IfClauseCommand, feed: &Feed) -> Outcome {
        self.list(&clause.condition, feed);
        self.in_branch(|reader| reader.list(&clause.then, feed));
        for other in clause.elses.iter().flatten() {
            self.in_branch(|reader| {
                if let Some(condition) = &other.condition {
                    reader.list(condition, feed);
                }
                reader.list(&other.body, feed)
            });
        }
        Outcome::default()
    }

    /// A loop's body: once more if it set something that its own start may use.
    fn repeated(&mut self, body: &CompoundList, feed: &Feed) -> Outcome {
        self.in_branch(|reader| {
            let before = reader.scope.changes();
            reader.list(body, feed);
            if reader.scope.changes() != before {
                reader.list(body, feed);
            }
            Outcome::default()
        })
    }

    fn loop_variable(&mut self, name: &str, words: Option<&[brush_parser::ast::Word]>) {
        let fields: Vec<Field> = match words {
            Some(words) => words.iter().flat_map(|word| self.fields(&word.value)).collect(),
            None => self.scope.positional.iter().flatten().map(Field::new).collect(),
        };
        let mut value = Value { options: Vec::new() };
        for field in fields {
            // A pattern becomes names of files below the folder that it names.
            value.or(Value::scalar(field.text));
        }
        if value.options.is_empty() || value.options.len() >= super::limits::ALTERNATIVES {
            value.options.truncate(super::limits::ALTERNATIVES - 1);
            value.or(Value::unknown());
        }
        self.scope.set(name, value);
    }

    /// A function: kept for its calls, and walked once for what its body says by itself.
    fn define(&mut self, definition: &FunctionDefinition) -> Outcome {
        let name = self.text(&definition.fname.value, Mode::Value);
        let function = Rc::new(Function { body: definition.body.clone(), walked: 0.into() });
        self.scope.functions.insert(name.clone(), Rc::clone(&function));
        self.in_branch(|reader| reader.call(&name, &function, None, &Feed::Nothing));
        Outcome::default()
    }

    /// Walks a function's body. A call of a function that is being walked starts it over;
    /// where that happens beside other processes they multiply without end.
    pub(super) fn call(
        &mut self,
        name: &str,
        function: &Rc<Function>,
        words: Option<Vec<String>>,
        feed: &Feed,
    ) -> Outcome {
        if self.calls.iter().any(|call| call == name) {
            if self.manner != Manner::Alone {
                self.trouble(Trouble::ForkBomb, &format!("{name} starts itself"));
            }
            return Outcome::default();
        }
        if function.walked.get() >= super::limits::CALLS || self.budget.depth == 0 {
            return Outcome::default();
        }
        function.walked.set(function.walked.get() + 1);
        self.calls.push(name.to_owned());
        let positional = std::mem::replace(&mut self.scope.positional, words);
        let outcome = self.in_manner(Manner::Alone, |reader| {
            let feed = reader.compound_redirects(function.body.1.as_ref(), feed);
            reader.budget.depth -= 1;
            let outcome = reader.compound(&function.body.0, &feed);
            reader.budget.depth += 1;
            outcome
        });
        self.scope.positional = positional;
        self.calls.pop();
        outcome
    }

    fn test(&mut self, expression: &ExtendedTestExpr) {
        let mut waiting = vec![expression];
        while let Some(expression) = waiting.pop() {
            match expression {
                ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                    waiting.extend([right.as_ref(), left.as_ref()]);
                }
                ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => waiting.push(inner),
                ExtendedTestExpr::UnaryTest(_, word) => {
                    self.text(&word.value, Mode::Value);
                }
                ExtendedTestExpr::BinaryTest(_, left, right) => {
                    self.text(&left.value, Mode::Value);
                    self.text(&right.value, Mode::Value);
                }
            }
        }
    }
}

/// What several pieces print one after the other.
fn joined(mut outcomes: Vec<Outcome>) -> Outcome {
    if outcomes.len() == 1 {
        return outcomes.pop().unwrap_or_default();
    }
    let texts = outcomes.iter().map(|outcome| outcome.output.as_deref()).collect::<Option<Vec<_>>>();
    let mut all = Outcome { output: texts.map(|texts| texts.concat()), sources: Vec::new() };
    outcomes.iter().for_each(|outcome| all.add_sources(&outcome.sources));
    all
}
