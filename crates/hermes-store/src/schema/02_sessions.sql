CREATE TABLE sessions (
    id           TEXT    PRIMARY KEY,
    title        TEXT    UNIQUE,
    source       TEXT    NOT NULL,
    session_key  TEXT,
    user         TEXT,
    model        TEXT,
    folder       TEXT,
    -- The session this one goes on from; it may have been deleted since.
    parent       TEXT,
    started      INTEGER NOT NULL,
    updated      INTEGER NOT NULL,
    ended        INTEGER,
    end_reason   TEXT,
    input        INTEGER NOT NULL DEFAULT 0,
    output       INTEGER NOT NULL DEFAULT 0,
    cached_input INTEGER NOT NULL DEFAULT 0,
    cache_write  INTEGER NOT NULL DEFAULT 0,
    reasoning    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX sessions_updated ON sessions (updated);
CREATE INDEX sessions_key ON sessions (session_key, updated) WHERE session_key IS NOT NULL;
CREATE INDEX sessions_parent ON sessions (parent) WHERE parent IS NOT NULL;

CREATE TABLE messages (
    id         INTEGER PRIMARY KEY,
    session    TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    -- Order in the session, with gaps where summaries find room.
    position   INTEGER NOT NULL,
    time       INTEGER NOT NULL,
    role       TEXT    NOT NULL,
    -- What full-text search sees.
    text       TEXT    NOT NULL,
    -- The whole message as JSON.
    message    TEXT    NOT NULL,
    tool_calls INTEGER NOT NULL,
    -- What the provider counted for it, as JSON.
    usage      TEXT,
    -- Since when a summary stands in its place for the model.
    archived   INTEGER,
    -- The id it had in the original's state.db.
    imported   INTEGER,
    UNIQUE (session, position)
) STRICT;

CREATE VIRTUAL TABLE messages_text USING fts5 (text, content = 'messages', content_rowid = 'id');

CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN
    INSERT INTO messages_text (rowid, text) VALUES (new.id, new.text);
END;

CREATE TRIGGER messages_removed AFTER DELETE ON messages BEGIN
    INSERT INTO messages_text (messages_text, rowid, text) VALUES ('delete', old.id, old.text);
END;

CREATE TRIGGER messages_changed AFTER UPDATE OF text ON messages BEGIN
    INSERT INTO messages_text (messages_text, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO messages_text (rowid, text) VALUES (new.id, new.text);
END;

-- Files of the original that were read.
CREATE TABLE imports (
    path TEXT    PRIMARY KEY,
    time INTEGER NOT NULL
) STRICT;
