-- conversations.db: every message (redacted) and its full-text index. Written idempotently by the client's message id,
-- so that a crash between the two files repeats work and neither loses nor doubles it.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  project TEXT NOT NULL,       -- of its first message
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  named TEXT NOT NULL          -- who else than the user and the assistant spoke, a name a line; '' in talk with an agent
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_named ON conversations (project) WHERE named <> '';

-- A project's part of the full-text index: its rows have numbers of their own, so that a question reads no other project's.
CREATE TABLE parts (
  project TEXT PRIMARY KEY,
  part INTEGER NOT NULL UNIQUE CHECK (part > 0),
  messages INTEGER NOT NULL    -- numbers given in it so far
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  n INTEGER PRIMARY KEY,
  spot INTEGER NOT NULL UNIQUE, -- its number in the index: part, number in the part, length class (kg/lookup.py)
  id TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL REFERENCES conversations (id),
  seq INTEGER NOT NULL,        -- order of arrival in its conversation, from 1, without gaps
  project TEXT NOT NULL,
  agent TEXT NOT NULL,
  author TEXT NOT NULL CHECK (author <> ''), -- 'user', 'assistant', or a name in talk among people
  origin TEXT NOT NULL,
  typed INTEGER NOT NULL,      -- 1: the client marks the line as typed by a person
  machine INTEGER NOT NULL,    -- 1: a prompt that a program sent
  sidechain INTEGER NOT NULL,
  at INTEGER NOT NULL,
  offset_minutes INTEGER NOT NULL,
  text TEXT NOT NULL,
  shadow TEXT NOT NULL,        -- folded search text
  day TEXT NOT NULL,           -- folded words of the local date
  apart TEXT NOT NULL,         -- why no turn is told it though it is found: orders or hidden letters nobody typed; '' for none
  UNIQUE (conversation, seq)
) STRICT;
CREATE INDEX messages_by_project ON messages (project, at);

-- A message's own words alone: what its neighbours say is weighed by the search (docs/decisions/0015). Content is a view without
-- custom functions, so that any SQLite shell opens this file.
CREATE VIEW message_words AS SELECT spot, shadow AS own, author, day FROM messages;
CREATE VIRTUAL TABLE messages_fts USING fts5 (
  own, author, day, content = 'message_words', content_rowid = 'spot',
  tokenize = "unicode61 remove_diacritics 0"
);
INSERT INTO messages_fts (messages_fts, rank) VALUES ('secure-delete', 1);

-- Vectors: a cache of what an embedder makes of the messages. Ordinary tables, so that any SQLite opens, checks, dumps and
-- copies this file, and forgets a vector with its message, whether or not the vector extension is there.
CREATE TABLE spaces (
  space INTEGER PRIMARY KEY,
  embedder TEXT NOT NULL,      -- what made its vectors, with the version: another one's cannot be compared with them
  kind TEXT NOT NULL,          -- which text stands for a message: turn, pair or window (kg/passages.py)
  dimension INTEGER NOT NULL,
  mean BLOB NOT NULL,          -- float32: what was taken out of each vector before it was stored
  done INTEGER NOT NULL,       -- messages.n up to which every message was looked at, in the transaction that stored theirs
  refused INTEGER NOT NULL,    -- texts of which the embedder made no usable vector
  state TEXT NOT NULL CHECK (state IN ('building', 'whole', 'old')),
  UNIQUE (embedder, kind, state)
) STRICT;

-- One space's rows of one project's cell lie side by side: a search reads these and no others.
CREATE TABLE vectors (
  space INTEGER NOT NULL REFERENCES spaces (space),
  project TEXT NOT NULL,
  cell INTEGER NOT NULL,       -- 0: in no cell (yet)
  n INTEGER NOT NULL REFERENCES messages (n) ON DELETE CASCADE,
  part INTEGER NOT NULL,       -- a long message has several
  v BLOB NOT NULL,             -- int8
  PRIMARY KEY (space, project, cell, n, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX vectors_by_message ON vectors (n);

-- Where a large project's vectors gather; cells are numbered from 1.
CREATE TABLE vector_cells (
  space INTEGER NOT NULL REFERENCES spaces (space),
  project TEXT NOT NULL,
  cell INTEGER NOT NULL CHECK (cell > 0),
  v BLOB NOT NULL,             -- int8: its centre
  PRIMARY KEY (space, project, cell)
) STRICT, WITHOUT ROWID;

-- A vector never outlives the words it was made of, whoever changes them; the neighbours' may hold them too.
CREATE TRIGGER vectors_of_changed_words AFTER UPDATE OF text ON messages WHEN new.text <> old.text BEGIN
  DELETE FROM vectors WHERE n IN (SELECT n FROM messages WHERE conversation = new.conversation AND seq BETWEEN new.seq - 1 AND new.seq + 1);
END;
CREATE TRIGGER vectors_of_moved_messages AFTER UPDATE OF project ON messages WHEN new.project <> old.project BEGIN
  UPDATE vectors SET project = new.project, cell = 0 WHERE n = new.n;
END;
