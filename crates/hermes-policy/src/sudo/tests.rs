//! Where a password is taken from, and where it may be fed.

use super::{SudoUse, sudo_use, with_password_on_stdin};
use crate::{Class, Context, SudoPassword, judge};

#[test]
fn uses_are_told_apart() {
    for (text, expected) in [
        ("ls", SudoUse::NotAtAll),
        ("echo sudo -S", SudoUse::NotAtAll),
        ("# sudo -S ls", SudoUse::NotAtAll),
        ("cat <<E\nsudo -S ls\nE", SudoUse::NotAtAll),
        ("sudo ls -S", SudoUse::Plain),
        ("sudo -u -S ls", SudoUse::Plain),
        ("sudo -- ls; sudo -n true", SudoUse::Plain),
        ("sudo -S ls", SudoUse::ReadsPassword),
        ("sudo ls && sudo -nS ls", SudoUse::ReadsPassword),
        ("sudo --stdin ls", SudoUse::ReadsPassword),
        ("sudo --user ann --st ls", SudoUse::ReadsPassword),
        ("sudo A=1 -S ls", SudoUse::ReadsPassword),
        ("sudo -h -S ls", SudoUse::ReadsPassword),
        ("bash -c 's\"u\"do -S ls'", SudoUse::ReadsPassword),
        ("X=-S; sudo $X ls", SudoUse::ReadsPassword),
        ("env sudo -S ls", SudoUse::ReadsPassword),
    ] {
        assert_eq!(sudo_use(text, &Context::default()), expected, "{text}");
    }
}

#[test]
fn a_fed_password_is_refused_unless_one_is_configured() {
    let missing = Context::default();
    let configured = Context { sudo_password: SudoPassword::Configured, ..Context::default() };
    for text in ["echo pw | sudo -S ls", "sudo -S true <<< x", "env sudo --stdin id"] {
        let refused = judge(text, &missing);
        assert_eq!((refused.class, refused.rule), (Class::Floor, "sudo-stdin"), "{text}");
        let asked = judge(text, &configured);
        assert_eq!((asked.class, asked.rule), (Class::Ask, "sudo-password"), "{text}");
    }
    let floor = judge("echo pw | sudo -S rm -rf /", &configured);
    assert_eq!((floor.class, floor.rule), (Class::Floor, "rm-root"));
}

/// A text with marks where the options go, and without.
#[test]
fn sudos_that_surely_read_their_line_are_rewritten() {
    for marked in [
        "sudo@ apt-get update",
        "sudo@",
        "cd /x && sudo@ -u ann ls",
        "sudo@ apt update; sudo@ apt install -y x",
        "sudo@ mkdir -p /x && sudo@ chown ann /x || sudo@ rm -r /x",
        "sudo@ python3 x.py",
        "sudo@ cat",
        "(sudo@ a)",
        "{ sudo@ a; }",
        "if sudo@ ls /x; then sudo@ systemctl restart x; else echo no; fi",
        "sudo@ a | grep x",
        "sudo@ a > out 2>&1",
        "echo 'ä sudo' \"sudo\" # sudo\nsudo@ a",
        "cat <<E\nsudo x\nE\nsudo@ a",
        "sudo@ tee /etc/x",
        "sudo@ -E env",
        "! sudo@ a",
    ] {
        let text = marked.replace('@', "");
        let rewritten = with_password_on_stdin(&text, &Context::default());
        let rewritten = rewritten.unwrap_or_else(|| panic!("{marked}"));
        assert_eq!(rewritten.text, marked.replace('@', " -k -S -p ''"));
        assert_eq!(rewritten.prompts, marked.matches('@').count(), "{marked}");
        assert_eq!(with_password_on_stdin(&rewritten.text, &Context::default()), None, "twice: {marked}");
    }
}

/// Each of these would hand the password to something else, or is not certain not to.
#[test]
fn where_another_program_could_read_the_password_nothing_is_done() {
    for text in [
        "ls",
        "echo sudo",
        "'sudo' a",
        "\\sudo a",
        "/usr/bin/sudo a",
        "su\\do a",
        "cat; sudo a",
        "sudo a; cat",
        "head -n1 && sudo a",
        "read x; sudo a; echo $x",
        "echo $(cat); sudo a",
        "sudo a; bash",
        "echo x | sudo tee /etc/x",
        "sudo a | sudo b",
        "sudo a < file",
        "sudo a <<< x",
        "sudo a <<E\nx\nE",
        "sudo a & cat",
        "sudo a &",
        "for i in 1 2; do sudo a; done",
        "while sudo a; do sudo b; done",
        "sudo() { cat; }; sudo a",
        "alias sudo=cat\nsudo a",
        "PATH=/tmp/x sudo a",
        "PATH=/tmp/x; sudo a",
        "export PATH=/tmp/x; sudo a",
        "hash -p /tmp/x sudo; sudo a",
        ". ./env; sudo a",
        "env sudo a",
        "bash -c 'sudo a'",
        "echo $(sudo a)",
        "sudo a; echo \"$(sudo b)\"",
        "sudo cat; sudo true",
        "sudo true; sudo cat",
        "false && sudo true; sudo cat",
        "sudo true && sudo python3 x.py",
        "sudo cp /dev/stdin x; sudo true",
        "sudo apt-get -o APT::Update::Pre-Invoke::=cat update; sudo true",
        "sudo apt-get install ./x.deb; sudo true",
        "sudo bash -c cat; sudo true",
        "sudo -s; sudo true",
        "sudo sudo a",
        "sudo -S a",
        "sudo -n a",
        "sudo -A a",
        "sudo -b a",
        "sudo -K",
        "sudo --unknown a",
        "sudo a; $X",
        "sudo 'open",
        "sudo a\r\nsudo b",
        "cat < /dev/stdin; sudo a",
        "echo \"$(< /dev/stdin)\"; sudo a",
        "sudo a; cat /proc/$$/fd/0 <<< x",
        "sudo a | cat /proc/self/fd/0",
        "sudo a | cat - $F",
        "sudo a | python3 steal.py",
        "sudo a 0<&3",
        "sudo a 0>&3",
        "0<&3 sudo a",
        "sudo a 0<> x",
        "cat <&0; sudo a",
        "cat /dev/stdin < x; sudo a",
        "coproc cat; sudo a",
        "exec 3<&0; sudo a",
        "cat x | tee; { cat; } | sudo a",
    ] {
        assert_eq!(with_password_on_stdin(text, &Context::default()), None, "{text}");
    }
}
