-- Messages that full-text search does not know yet. A word costs the index more than a message costs its table, unless many come at
-- once; so they wait here until there are many, or somebody searches.
CREATE TABLE messages_unindexed (
    id INTEGER PRIMARY KEY
) STRICT;

DROP TRIGGER messages_added;
DROP TRIGGER messages_removed;
DROP TRIGGER messages_changed;

CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN
    INSERT INTO messages_unindexed (id) VALUES (new.id);
END;

-- What the index does not have cannot be taken out of it.
CREATE TRIGGER messages_removed AFTER DELETE ON messages BEGIN
    INSERT INTO messages_text (messages_text, rowid, text)
        SELECT 'delete', old.id, old.text WHERE NOT EXISTS (SELECT 1 FROM messages_unindexed WHERE id = old.id);
    DELETE FROM messages_unindexed WHERE id = old.id;
END;

CREATE TRIGGER messages_changed AFTER UPDATE OF text ON messages BEGIN
    INSERT INTO messages_text (messages_text, rowid, text)
        SELECT 'delete', old.id, old.text WHERE NOT EXISTS (SELECT 1 FROM messages_unindexed WHERE id = old.id);
    INSERT OR IGNORE INTO messages_unindexed (id) VALUES (new.id);
END;
