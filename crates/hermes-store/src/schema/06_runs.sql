-- Runs of the API. A row is there before its caller is told that it was taken.
CREATE TABLE runs (
    id        TEXT    PRIMARY KEY,
    -- Whose it is; nobody else is told that it exists.
    owner     TEXT    NOT NULL,
    created   INTEGER NOT NULL,
    ended     INTEGER,
    -- open, completed, failed, cancelled, interrupted
    state     TEXT    NOT NULL,
    -- The rest, as JSON.
    detail    TEXT    NOT NULL,
    -- What its caller calls the request, so that one sent twice is done once.
    request   TEXT,
    -- A digest of what was asked.
    asked     TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX runs_request ON runs (owner, request) WHERE request IS NOT NULL;
CREATE INDEX runs_open ON runs (id) WHERE ended IS NULL;
CREATE INDEX runs_ended ON runs (ended) WHERE ended IS NOT NULL;
