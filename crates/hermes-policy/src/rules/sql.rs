//! Statements that empty or drop tables, given to a database client.

use super::{Rule, named};
use crate::Class::Ask;
use crate::shell::Simple;

const CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "duckdb",
    "clickhouse-client",
    "clickhouse",
    "cockroach",
    "sqlcmd",
    "bq",
    "snowsql",
    "usql",
    "pgcli",
    "mycli",
    "litecli",
];
const AROUND: &[&str] =
    &["docker", "podman", "kubectl", "wrangler", "supabase", "heroku", "turso", "prisma", "rails", "php", "npx"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "sql-drop",
        description: "drops or empties tables or databases",
        class: Ask,
        on: named(CLIENTS, |command, _| statements(command).any(|text| drops(&text))),
        hits: &[
            "psql -c 'DROP TABLE users'",
            "mysql -e 'truncate table logs'",
            "sqlite3 a.db <<E\ndrop table x;\nE",
            "echo 'drop database x' | psql",
        ],
        misses: &["psql -c 'select 1'", "sqlite3 a.db .tables", "grep 'DROP TABLE' schema.sql"],
    },
    Rule {
        key: "sql-delete-all",
        description: "deletes all rows of a table",
        class: Ask,
        on: named(CLIENTS, |command, _| statements(command).any(|text| deletes_all(&text))),
        hits: &["psql -c 'DELETE FROM users'", "mysql app -e 'delete from a; select 1'"],
        misses: &["psql -c 'DELETE FROM users WHERE id = 1'", "psql -f migrate.sql"],
    },
    Rule {
        key: "sql-in-container",
        description: "drops or empties tables through another program",
        class: Ask,
        on: named(AROUND, |command, _| {
            command
                .texts()
                .any(|text| CLIENTS.contains(&text) || text == "execute" || text == "--execute" || text == "db")
                && statements(command).any(|text| drops(&text) || deletes_all(&text))
        }),
        hits: &["docker exec db psql -c 'DROP TABLE users'", "kubectl exec db -- mysql -e 'delete from a'"],
        misses: &["docker exec db psql -c 'select 1'", "docker exec web ls"],
    },
];

fn statements(command: &Simple) -> impl Iterator<Item = String> {
    let fed = command.feed.text().into_iter();
    command.texts().chain(fed).filter(|text| text.len() > 8).map(normal)
}

/// Upper case, one space between words, no comments.
fn normal(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    let words: Vec<String> = lines.flat_map(str::split_whitespace).map(str::to_ascii_uppercase).collect();
    words.join(" ").replace("/**/", " ")
}

fn drops(text: &str) -> bool {
    const STATEMENTS: &[&str] = &[
        "DROP TABLE",
        "DROP DATABASE",
        "DROP SCHEMA",
        "DROP USER",
        "DROP ROLE",
        "DROP VIEW",
        "DROP INDEX",
        "DROP COLUMN",
    ];
    STATEMENTS.iter().any(|statement| text.contains(statement))
        || text.split(';').any(|part| part.trim_start().starts_with("TRUNCATE ") || part.contains(" TRUNCATE TABLE"))
}

fn deletes_all(text: &str) -> bool {
    text.split(';').any(|part| part.contains("DELETE FROM ") && !part.contains(" WHERE "))
}
