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

CREATE TABLE messages (
  n INTEGER PRIMARY KEY,
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
CREATE VIEW message_words AS
  SELECT n, CASE project WHEN '*' THEN 'pany' WHEN '-' THEN 'pnone' ELSE replace(project, '_', '') END AS scope,
         shadow AS own, author, day
  FROM messages;
CREATE VIRTUAL TABLE messages_fts USING fts5 (
  scope, own, author, day, content = 'message_words', content_rowid = 'n',
  tokenize = "unicode61 remove_diacritics 0"
);
INSERT INTO messages_fts (messages_fts, rank) VALUES ('secure-delete', 1);
