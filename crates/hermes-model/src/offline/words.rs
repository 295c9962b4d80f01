//! What it says about itself.

use crate::Request;

const HELP: &str = "\
I am Hermes' built-in model. I reach no network and know no language; I am here to show that everything around me works, and to \
run what you tell me to:

- A line that begins with `$ ` is run as a command, for example: `$ ls -la`
- A fenced block of Python (three backquotes and `python`) is run as a script.
- Several of them in one message are done one after another.

What runs is confined, and what is dangerous needs your consent first.

Ask me about `models` to configure a real one, or about `tools` to see what is at hand.";

const MODELS: &str = "\
To talk to a real model, give Hermes a key and choose a model:

```
hermes auth add openrouter
hermes model use openrouter/anthropic/claude-sonnet-4.5
```

A key can also be exported (`OPENROUTER_API_KEY`, `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` …). A server on your own machine \
needs only its address:

```
hermes config set model.provider custom
hermes config set model.base_url http://127.0.0.1:11434/v1
hermes config set model.default qwen3
```

`hermes model list` shows what is configured.";

const SAFETY: &str = "\
Commands and scripts run confined: they see the working directory, not your home's secrets or Hermes' own files. What would be \
dangerous all the same is shown to you first and runs only with your consent. `hermes doctor` tells what this machine can \
confine, and `hermes approvals check 'COMMAND'` how a command is judged. Try `$ echo hello`.";

const NOTHING: &str = "You said nothing. Try `$ ls`, or say `help`.";

/// A block of Python that has no end.
pub(super) const OPEN_FENCE: &str = "The block of Python is not closed, so I did not run it: a part of it may be missing. Close it with three backquotes.";

/// What a topic is asked for with, and what is said about it.
const TOPICS: &[(&[&str], &str)] = &[
    (
        &[
            "model",
            "models",
            "key",
            "keys",
            "configure",
            "provider",
            "openrouter",
            "openai",
            "anthropic",
            "claude",
            "gpt",
        ],
        MODELS,
    ),
    (&["sandbox", "safe", "safety", "approval", "approvals", "confined", "dangerous"], SAFETY),
];

/// The answer to a message that asks for nothing to be done.
pub(super) fn answer(question: &str, request: &Request) -> String {
    if question.trim().is_empty() {
        return NOTHING.to_owned();
    }
    let words: Vec<String> =
        question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let says = |word: &str| words.iter().any(|said| said == word);
    if says("tool") || says("tools") {
        return tools(request);
    }
    let topic = TOPICS.iter().find(|(words, _)| words.iter().any(|word| says(word)));
    topic.map_or(HELP, |(_, text)| text).to_owned()
}

/// What is said when a tool is not at hand.
pub(super) fn no_tool(tool: &str) -> String {
    format!("I cannot do that here: the tool `{tool}` is not among those I was given.")
}

/// What is said about the tasks after one that was refused.
pub(super) fn stopped(left: usize) -> String {
    match left {
        1 => "I did not go on with the one that follows it.".to_owned(),
        left => format!("I did not go on with the {left} that follow it."),
    }
}

fn tools(request: &Request) -> String {
    if request.tools.is_empty() {
        return "I was given no tools in this conversation.".to_owned();
    }
    let line = |tool: &crate::ToolSchema| {
        let about = tool.description.lines().next().unwrap_or_default();
        format!("- `{}`: {}", tool.name, about.chars().take(100).collect::<String>())
    };
    let lines: Vec<String> = request.tools.iter().map(line).collect();
    format!("These tools are at hand; I myself use `terminal` and `execute_code`:\n\n{}", lines.join("\n"))
}
