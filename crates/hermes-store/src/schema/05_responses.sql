-- Answers of the API that callers can ask for again and go on from. The newest ones are kept.
CREATE TABLE responses (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    -- The key that its caller had chosen, empty if none: under another one it does not exist.
    scope        TEXT    NOT NULL,
    session      TEXT    NOT NULL,
    previous     TEXT,
    -- A name that its caller gave to a series of them.
    conversation TEXT,
    time         INTEGER NOT NULL,
    -- Whether somebody went on with its session: whoever comes later goes on from a copy.
    continued    INTEGER NOT NULL DEFAULT 0,
    -- What was asked, as JSON.
    said         TEXT    NOT NULL,
    -- The answer as the caller got it, as JSON.
    body         TEXT    NOT NULL
) STRICT;

CREATE INDEX responses_conversation ON responses (scope, conversation, number) WHERE conversation IS NOT NULL;
