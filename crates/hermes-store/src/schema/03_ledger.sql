-- Messages that were accepted from platforms. A row is there before the platform is told that it was taken.
CREATE TABLE inbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    platform    TEXT    NOT NULL,
    -- The platform's id of the message, with its chat: the same one is accepted once.
    source      TEXT    NOT NULL,
    session_key TEXT    NOT NULL,
    time        INTEGER NOT NULL,
    -- waiting, begun, settled
    state       TEXT    NOT NULL,
    -- How often work on it began.
    attempts    INTEGER NOT NULL DEFAULT 0,
    -- The whole message as JSON; empty once it is settled.
    message     TEXT    NOT NULL,
    UNIQUE (platform, source)
) STRICT;

CREATE INDEX inbox_open ON inbox (session_key, id) WHERE state <> 'settled';
CREATE INDEX inbox_settled ON inbox (time) WHERE state = 'settled';

-- What has to be delivered, each once.
CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    platform    TEXT    NOT NULL,
    -- Whose deliveries keep their order.
    address     TEXT    NOT NULL,
    session_key TEXT    NOT NULL,
    -- The message it answers.
    answers     INTEGER,
    time        INTEGER NOT NULL,
    -- waiting, trying, delivered, failed
    state       TEXT    NOT NULL,
    attempts    INTEGER NOT NULL DEFAULT 0,
    -- What was said to the platform, as JSON; empty once it is delivered.
    content     TEXT    NOT NULL,
    -- The platform's id of it, or why it failed.
    outcome     TEXT
) STRICT;

CREATE INDEX outbox_open ON outbox (platform, id) WHERE state IN ('waiting', 'trying');
CREATE INDEX outbox_closed ON outbox (time) WHERE state IN ('delivered', 'failed');

-- Where a conversation was held last.
CREATE TABLE routes (
    session_key TEXT    PRIMARY KEY,
    time        INTEGER NOT NULL,
    -- As JSON.
    route       TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
