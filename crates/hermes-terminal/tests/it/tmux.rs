//! A terminal with a person in front of it: tmux on a socket of its own, and what its screen shows.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Long enough for a machine that is busy with something else.
const DEADLINE: Duration = Duration::from_secs(60);
/// Between two looks at the screen.
const GLANCE: Duration = Duration::from_millis(30);

pub(crate) struct Tmux {
    folder: tempfile::TempDir,
}

/// How the program is started.
#[derive(Default)]
pub(crate) struct Setting<'a> {
    /// `NAME=value`.
    pub(crate) variables: &'a [&'a str],
    pub(crate) size: Option<(u16, u16)>,
}

impl Tmux {
    /// Starts the program with these arguments in a terminal of 80 by 24.
    pub(crate) fn start(arguments: &str) -> Self {
        Self::start_in(arguments, &Setting::default())
    }

    pub(crate) fn start_in(arguments: &str, setting: &Setting<'_>) -> Self {
        let tmux = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(tmux.path("home")).unwrap();
        tmux.run(arguments, setting);
        tmux
    }

    /// Starts the program once more, with the home of before, after it has ended.
    pub(crate) fn restart(&self, arguments: &str) {
        for left in ["code", "after", "pid"] {
            fs::remove_file(self.path(left)).unwrap();
        }
        self.write_script(arguments, &Setting::default());
        self.tmux(&["clear-history", "-t", "t"]);
        self.tmux(&["respawn-pane", "-k", "-t", "t", "sh script"]);
    }

    fn write_script(&self, arguments: &str, setting: &Setting<'_>) {
        let script = format!(
            "echo shell before\nstty -a > before\n\
             env HERMES_HOME=home {} sh -c 'echo $$ > pid; exec {} {arguments}'\n\
             code=$?\nstty -a > after\necho $code > code.new\nmv code.new code\necho shell after\nread wait\n",
            setting.variables.join(" "),
            env!("CARGO_BIN_EXE_terminal-under-test"),
        );
        fs::write(self.path("script"), script).unwrap();
    }

    fn run(&self, arguments: &str, setting: &Setting<'_>) {
        self.write_script(arguments, setting);
        let (columns, rows) = setting.size.unwrap_or((80, 24));
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let started = self.tmux(&["new-session", "-d", "-s", "t", "-x", &columns, "-y", &rows, "sh script"]);
        assert!(started.status.success(), "{started:?}");
        // The window stays as big as it is told to be.
        self.tmux(&["set-option", "-g", "window-size", "manual"]);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "a test starts a terminal as a person would")]
    pub(crate) fn tmux(&self, arguments: &[&str]) -> Output {
        let path = HostPath::get();
        Command::new("tmux")
            .args(["-u", "-f", "/dev/null", "-S"])
            .arg(self.path("socket"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .envs([("PATH", path.as_str()), ("LANG", "C.UTF-8"), ("SHELL", "/bin/sh"), ("TERM", "screen")])
            .output()
            .unwrap()
    }

    /// Types these letters.
    pub(crate) fn types(&self, text: &str) {
        self.tmux(&["send-keys", "-t", "t", "-l", text]);
    }

    /// Presses keys by tmux's names for them.
    pub(crate) fn press(&self, keys: &[&str]) {
        let mut arguments = vec!["send-keys", "-t", "t"];
        arguments.extend(keys);
        self.tmux(&arguments);
    }

    /// Types a line and sends it.
    pub(crate) fn says(&self, line: &str) {
        self.types(line);
        self.press(&["Enter"]);
    }

    /// Pastes as a terminal does.
    pub(crate) fn pastes(&self, text: &str) {
        self.tmux(&["set-buffer", "-b", "p", text]);
        self.tmux(&["paste-buffer", "-p", "-r", "-b", "p", "-t", "t"]);
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.tmux(&["resize-window", "-t", "t", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// The screen now, without spaces at the ends of lines.
    pub(crate) fn screen(&self) -> String {
        let captured = self.tmux(&["capture-pane", "-p", "-t", "t"]);
        let text = String::from_utf8_lossy(&captured.stdout).into_owned();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// What was on the screen and has been scrolled away, and the screen.
    pub(crate) fn everything(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-S", "-", "-t", "t"]).stdout).into_owned()
    }

    /// Waits until the screen is as expected.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, expected: impl Fn(&str) -> bool) {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if expected(&screen) {
                return;
            }
            assert!(start.elapsed() < DEADLINE, "never came: {what}\n{screen}\n(everything)\n{}", self.everything());
            std::thread::sleep(GLANCE);
        }
    }

    #[track_caller]
    pub(crate) fn shows(&self, text: &str) {
        self.until(text, |screen| screen.contains(text));
    }

    /// Waits until the last line that says anything is this one.
    #[track_caller]
    pub(crate) fn ends_with(&self, line: &str) {
        self.until(&format!("{line} at the end"), |screen| screen.trim_end().lines().last() == Some(line));
    }

    /// Waits for the prompt, with nothing typed.
    #[track_caller]
    pub(crate) fn prompts(&self) {
        self.ends_with(">");
    }

    /// A value that tmux knows about the terminal.
    pub(crate) fn knows(&self, name: &str) -> String {
        let told = self.tmux(&["display-message", "-p", "-t", "t", &format!("#{{{name}}}")]);
        String::from_utf8_lossy(&told.stdout).trim().to_owned()
    }

    pub(crate) fn kill(&self, signal: rustix::process::Signal) {
        let pid: i32 = fs::read_to_string(self.path("pid")).unwrap().trim().parse().unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Waits for the end of the program; gives its exit code.
    #[track_caller]
    pub(crate) fn ended(&self) -> i32 {
        let start = Instant::now();
        loop {
            if let Ok(code) = fs::read_to_string(self.path("code")) {
                return code.trim().parse().unwrap();
            }
            assert!(start.elapsed() < DEADLINE, "the program never ended\n{}", self.screen());
            std::thread::sleep(GLANCE);
        }
    }

    /// The terminal is as the program found it.
    #[track_caller]
    pub(crate) fn is_restored(&self) {
        let modes = |when| fs::read_to_string(self.path(when)).unwrap();
        assert_eq!(modes("before"), modes("after"));
        self.shows("shell after");
        assert_eq!(self.knows("alternate_on"), "0");
        assert_eq!(self.knows("cursor_flag"), "1");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// Where programs are found.
struct HostPath;

impl HostPath {
    fn get() -> String {
        hermes_proto::HostEnvironment::capture().text("PATH").unwrap_or("/usr/bin:/bin").to_owned()
    }
}
