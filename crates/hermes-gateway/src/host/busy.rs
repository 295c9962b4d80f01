//! What becomes of a message that comes while its conversation is being worked on.

use hermes_home::config::Config;
use hermes_proto::turn::Surface;

use super::dispatch::Dispatcher;
use super::mailbox::StopCause;
use super::task::{Claim, Task};
use crate::commands::{Command, Parsed, answer_beside, parse};
use crate::delivery::Body;
use crate::{Continuing, MessageNumber};

/// `display.busy_input_mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BusyMode {
    /// The running turn ends, and this one is next.
    Interrupt,
    /// It waits.
    Queue,
    /// The running turn is told.
    Steer,
}

impl BusyMode {
    pub(crate) fn configured(config: &Config) -> Self {
        match config.display["busy_input_mode"].as_str() {
            Some("queue") => Self::Queue,
            Some("steer") => Self::Steer,
            Some("interrupt") | None => Self::Interrupt,
            Some(other) => {
                tracing::warn!(other, "display.busy_input_mode is not interrupt, queue or steer");
                Self::Interrupt
            }
        }
    }
}

impl Dispatcher {
    /// A message has arrived.
    pub(super) fn arrived(&mut self, mut task: Task) {
        // Callers say what they mean by which address they call, and what a program was sent gives no commands.
        let is_person = matches!(task.incoming.surface, Surface::Gateway | Surface::Ask | Surface::Interactive);
        if !is_person || !matches!(task.claim, Claim::Chat(_)) {
            return self.enqueue(task);
        }
        match parse(&task.incoming.text, task.incoming.person.role) {
            Parsed::Talk => self.talk(task),
            Parsed::Refused(why) => self.tell(&task, why),
            Parsed::Command(Command::Stop) => {
                let was_running = self.stop(&task.key, StopCause::Asked);
                self.tell(&task, if was_running { "stopping" } else { "nothing is running" }.to_owned());
            }
            Parsed::Command(Command::New) => {
                self.stop(&task.key, StopCause::Asked);
                task.command = Some(Command::New);
                self.enqueue_first(task);
            }
            Parsed::Command(command @ Command::Background(_)) => self.beside(task, command),
            Parsed::Command(
                command @ (Command::Help | Command::Whoami | Command::Status | Command::Yolo(_) | Command::Answer(_)),
            ) => {
                self.answer(task, command);
            }
            Parsed::Command(command) => {
                task.command = Some(command);
                self.enqueue(task);
            }
        }
    }

    fn talk(&mut self, task: Task) {
        let running = self.mailboxes.get(&task.mailbox).and_then(|mailbox| mailbox.running.as_ref());
        let Some(running) = running else { return self.enqueue(task) };
        let task = match running.answered_by(task) {
            Ok(()) => return,
            Err(task) => *task,
        };
        match self.manners.busy {
            BusyMode::Queue => self.enqueue(task),
            BusyMode::Interrupt => {
                running.reins.stop(StopCause::NewerMessage);
                self.enqueue(task);
            }
            BusyMode::Steer if !task.incoming.attachments.is_empty() => self.enqueue(task),
            BusyMode::Steer => {
                let number = task.number();
                match running.reins.steering.leave(task) {
                    Ok(()) => self.begun(number),
                    Err(task) => self.enqueue(*task),
                }
            }
        }
    }

    /// A running turn may act on this message from here on: after a kill it is reported and not worked on again.
    fn begun(&mut self, number: Option<MessageNumber>) {
        let (shared, Some(number)) = (self.shared.clone(), number) else { return };
        self.beside.spawn(async move {
            if let Err(error) = shared.in_ledger(move |ledger| ledger.begin(&[number.0])).await {
                tracing::error!(%error, "a remark cannot be marked as heard");
            }
        });
    }

    /// Says something about a message that needs nothing more.
    fn tell(&mut self, task: &Task, text: String) {
        let (shared, route) = (self.shared.clone(), task.route());
        self.beside.spawn(async move {
            let numbers: Vec<_> = route.number.into_iter().collect();
            if let Err(error) = shared.post.settle(&numbers, vec![route.letter(Body::Notice(text))]).await {
                tracing::error!(%error, "what has to be said cannot be kept");
            }
        });
    }

    /// Answers a command that works while a turn is running.
    fn answer(&mut self, task: Task, command: Command) {
        let status = self.mailboxes.get(&task.key).map(|mailbox| mailbox.status(&task.key));
        let shared = self.shared.clone();
        self.beside.spawn(async move {
            let (route, person) = (task.route(), &task.incoming.person);
            let text = answer_beside(&shared, &task.key, person, command, status).await;
            let numbers: Vec<_> = route.number.into_iter().collect();
            if let Err(error) = shared.post.settle(&numbers, vec![route.letter(Body::Notice(text))]).await {
                tracing::error!(%error, "what has to be said cannot be kept");
            }
        });
    }

    /// Works on a message beside its conversation, in a session and a mailbox of its own.
    fn beside(&mut self, mut task: Task, command: Command) {
        let number = task.number().map_or(0, |number| number.0);
        match format!("{}#{number}", task.key).parse() {
            Ok(mailbox) => {
                task.mailbox = mailbox;
                task.command = Some(command);
                let incoming =
                    crate::Incoming { continuing: Continuing::Fresh(Vec::new()), ..(*task.incoming).clone() };
                task.incoming = std::sync::Arc::new(incoming);
                self.enqueue(task);
            }
            Err(_) => self.tell(&task, "this conversation's key is too long for work beside it".to_owned()),
        }
    }
}
