-- One row per thing that happened; see audit/chain.rs for what the hashes cover.
CREATE TABLE audit (
    sequence       INTEGER PRIMARY KEY,
    format         INTEGER NOT NULL,
    time           INTEGER NOT NULL,
    kind           TEXT    NOT NULL,
    request        TEXT    NOT NULL,
    session        TEXT,
    who            TEXT,
    surface        TEXT,
    place          TEXT,
    subject        TEXT,
    subject_length INTEGER,
    verdict        TEXT,
    rule           TEXT,
    outcome        TEXT,
    detail         TEXT,
    previous       BLOB    NOT NULL,
    hash           BLOB    NOT NULL
) STRICT;

CREATE INDEX audit_request ON audit (request);

-- The end of the chain: without it a chain that lost its last rows would still verify.
CREATE TABLE audit_head (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    count INTEGER NOT NULL,
    last  BLOB    NOT NULL
) STRICT;
