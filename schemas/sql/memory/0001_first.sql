-- memory.db: queue, typed tables, revisions, trail, receipts and transcript cursors, in one file so that one
-- transaction covers them. Times named *_at are UTC milliseconds; `clock` is a hybrid clock (milliseconds << 16 | counter).

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- What the prompt hook needs of config and manifests, compiled by the CLI: the hook parses no TOML.
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL,          -- real path of the root as last seen
  git TEXT NOT NULL,           -- real path of the git common dir, '' without git
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,      -- 0: the folder did not exist when it was registered
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE project_paths (
  path TEXT PRIMARY KEY,       -- a real path that belongs to the project: root, worktree, linked folder, former place
  project TEXT NOT NULL REFERENCES projects (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_paths_by_project ON project_paths (project);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  project TEXT NOT NULL,
  reset INTEGER NOT NULL,      -- receipts up to this number no longer stand in the client's context
  machine INTEGER NOT NULL,    -- 1: started by bellek itself, never heard
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Queue: one row an item that waits. What was seen and what is the same are two questions, so two tables answer them.
CREATE TABLE queue (
  n INTEGER PRIMARY KEY,       -- order of arrival: a pass queues many items in one millisecond
  id TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL CHECK (generation >= 1), -- grows when a twin arrives while the item is taken
  project TEXT NOT NULL,
  agent TEXT NOT NULL,
  session TEXT NOT NULL,
  channel TEXT NOT NULL,
  payload TEXT NOT NULL,       -- redacted
  digest BLOB NOT NULL,        -- keyed hash of the unredacted payload
  origin TEXT NOT NULL CHECK (origin IN ('user', 'agent', 'inferred', 'tool', 'web', 'pasted', 'file')),
  message TEXT NOT NULL,
  position INTEGER NOT NULL,
  said_at INTEGER NOT NULL,
  offset_minutes INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL,
  sightings INTEGER NOT NULL CHECK (sightings >= 1),
  last_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'taken', 'dead')),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  token TEXT NOT NULL,         -- '' unless taken
  until_at INTEGER NOT NULL,   -- 0 unless taken
  handed INTEGER NOT NULL,     -- generation that was handed out last
  reason TEXT NOT NULL,
  CHECK ((state = 'taken') = (token <> ''))
) STRICT;
CREATE UNIQUE INDEX queue_twin ON queue (project, channel, digest);
CREATE INDEX queue_order ON queue (project, state, said_at, n);

CREATE TABLE seen (            -- R13: a sighting is (client message id, channel, position)
  message TEXT NOT NULL,
  channel TEXT NOT NULL,
  position INTEGER NOT NULL,
  digest BLOB NOT NULL,
  project TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (message, channel, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE settled (         -- what became of a payload: the rows that an acknowledged item was written into
  project TEXT NOT NULL,
  channel TEXT NOT NULL,
  digest BLOB NOT NULL,
  memory TEXT NOT NULL,        -- '': acknowledged by hand, nothing written
  at INTEGER NOT NULL,
  PRIMARY KEY (project, channel, digest, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE cursors (         -- how far a transcript was heard; never needed for correctness (R14)
  path TEXT PRIMARY KEY,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  prefix TEXT NOT NULL,        -- hashes of the file's first bytes and of those before `offset`
  tail TEXT NOT NULL,
  offset INTEGER NOT NULL,
  size INTEGER NOT NULL,
  line INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL, -- ctime of a file read to its end; 0: look again
  heard_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (         -- said once each: damaged lines, near misses, unclosed markers
  n INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,        -- transcript path or message id
  position INTEGER NOT NULL,
  project TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (kind, source, position)
) STRICT;

CREATE TABLE observations (    -- T0 (R15): where the person's words and the touched files are; no text, disposable (R17)
  n INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  project TEXT NOT NULL,
  kind TEXT NOT NULL,          -- 'typed', 'captured', or the tool's name as its client spells it
  path TEXT NOT NULL,          -- '' unless a tool touched one
  message TEXT NOT NULL,
  at INTEGER NOT NULL,
  consumed_at INTEGER NOT NULL, -- when a consolidation read what it points to; 0: waits for the gate
  UNIQUE (message, kind, path)
) STRICT;
CREATE INDEX observations_by_project ON observations (project, n);
CREATE INDEX observations_waiting ON observations (project, kind) WHERE consumed_at = 0;

CREATE TABLE watch (           -- R18: how long a session has gone on without a channel's marker
  session TEXT NOT NULL,
  channel TEXT NOT NULL,
  turns INTEGER NOT NULL,      -- prompts of a person since the last marker, small talk left out
  points INTEGER NOT NULL,     -- code points of assistant text in them
  quiet INTEGER NOT NULL CHECK (quiet IN (0, 1)), -- 1: the turn at hand is not counted
  nudges INTEGER NOT NULL,     -- how often it came so far: the revision of the signal line
  due INTEGER NOT NULL CHECK (due IN (0, 1)),     -- 1: latched until the next marker
  last_at INTEGER NOT NULL,    -- the newest line counted, so that a second reading counts nothing
  last_message TEXT NOT NULL,
  PRIMARY KEY (session, channel)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweeps (          -- R19: how far each conversation was swept for what no marker told
  project TEXT NOT NULL,
  conversation TEXT NOT NULL,
  channel TEXT NOT NULL,
  seq INTEGER NOT NULL,        -- everything before this message and character was swept
  letter INTEGER NOT NULL,
  open_seq INTEGER NOT NULL,   -- end of the window that is handed out, 0 where none is
  open_letter INTEGER NOT NULL,
  PRIMARY KEY (project, conversation, channel)
) STRICT, WITHOUT ROWID;

-- One envelope, typed bodies.
CREATE TABLE memories (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('claim', 'lesson', 'event', 'page', 'entity', 'field', 'worldview', 'task', 'log', 'proposal', 'conflict')),
  project TEXT NOT NULL,
  agent TEXT NOT NULL,
  session TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('user', 'agent', 'inferred', 'tool', 'web', 'pasted', 'file')),
  tier TEXT NOT NULL CHECK (tier IN ('-', 'T1', 'T2')),
  status TEXT NOT NULL CHECK (status IN ('current', 'contested', 'superseded', 'closed', 'hidden', 'quarantined', 'refused')),
  note TEXT NOT NULL,          -- why it is quarantined or refused
  let_in INTEGER NOT NULL CHECK (let_in IN (0, 1)), -- 1: a person let a row of tool, web or pasted origin into packets
  text TEXT NOT NULL,
  shadow TEXT NOT NULL,        -- folded search text of `text` and of the body's own words
  said_at INTEGER NOT NULL,    -- content time
  offset_minutes INTEGER NOT NULL,
  created INTEGER NOT NULL,    -- hybrid clock of the first revision
  updated INTEGER NOT NULL,    -- hybrid clock of this revision
  batch TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  CHECK ('' NOT IN (id, project, agent, session, batch))
) STRICT;
CREATE INDEX memories_by_scope ON memories (project, kind, status, updated);
CREATE INDEX memories_apart ON memories (project, created) WHERE status = 'quarantined'; -- what lies in quarantine is counted and listed
CREATE INDEX memories_permanent ON memories (project, updated) WHERE tier = 'T2'; -- the index of every packet reads it

CREATE TABLE events (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  day TEXT NOT NULL,           -- the person's local date, YYYY-MM-DD
  topic TEXT NOT NULL,
  conversation TEXT NOT NULL,
  mood TEXT NOT NULL           -- a word of schemas/event.py; '' where none was noted
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_day ON events (day);

CREATE TABLE lessons (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  topic TEXT NOT NULL,
  learning TEXT NOT NULL CHECK (learning IN ('bug-fix', 'decision', 'pattern', 'anti-pattern', 'discovery', 'convention')),
  importance INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 3), -- low, medium, high, critical
  sightings INTEGER NOT NULL CHECK (sightings >= 1),
  applied INTEGER NOT NULL,    -- messages that show that it was followed and held, and that it was not
  violated INTEGER NOT NULL,
  standing INTEGER NOT NULL CHECK (standing BETWEEN 0 AND 3) -- the importance that counts for WISDOM (schemas/lesson.py)
) STRICT, WITHOUT ROWID;
CREATE INDEX lessons_by_importance ON lessons (importance);
CREATE INDEX lessons_by_standing ON lessons (standing);
CREATE TABLE lesson_outcomes ( -- a message counts once a lesson
  lesson TEXT NOT NULL,
  message TEXT NOT NULL,
  result TEXT NOT NULL CHECK (result IN ('applied', 'violated')),
  at INTEGER NOT NULL,
  PRIMARY KEY (lesson, message)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  state TEXT NOT NULL CHECK (state IN ('open', 'done', 'deleted')),
  closed_at INTEGER NOT NULL   -- 0 while open
) STRICT, WITHOUT ROWID;

CREATE TABLE claims (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  category TEXT NOT NULL CHECK (category IN ('person', 'family', 'health', 'relationship', 'project', 'preference', 'constraint')),
  subject TEXT NOT NULL,
  subject_key TEXT NOT NULL,   -- normal form of the subject as it was named; aliases are resolved when it is asked for
  predicate TEXT NOT NULL,
  object TEXT NOT NULL,
  object_key TEXT NOT NULL,    -- normal form
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  quote TEXT NOT NULL,
  message TEXT NOT NULL,
  valid_from INTEGER NOT NULL, -- the world, UTC milliseconds; 0: open
  valid_to INTEGER NOT NULL,
  retired INTEGER NOT NULL,    -- what we knew: hybrid clock at which it ceased to be current, 0 while it is
  sightings INTEGER NOT NULL CHECK (sightings >= 1),
  turns INTEGER NOT NULL CHECK (turns >= 0),
  last_at INTEGER NOT NULL,    -- said again last by somebody trusted as much; 0: never
  position INTEGER NOT NULL,   -- where in its message the quote begins: orders what was said at one instant
  ended TEXT NOT NULL CHECK (ended IN ('', 'superseded', 'wrong', 'scoped')),
  ended_by TEXT NOT NULL,
  note TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_slot ON claims (subject_key, predicate, object_key);
CREATE INDEX claims_constraints ON claims (id) WHERE category = 'constraint'; -- the inbox asks for a few of very many
CREATE INDEX claims_said_often ON claims (id) WHERE turns >= 2;

CREATE TABLE entities (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  name TEXT NOT NULL,
  key TEXT NOT NULL,           -- normal form of the name
  type TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX entities_by_key ON entities (key);
CREATE TABLE aliases (
  key TEXT NOT NULL,           -- normal form of the alias
  entity TEXT NOT NULL REFERENCES memories (id),
  alias TEXT NOT NULL,
  PRIMARY KEY (key, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_entity ON aliases (entity, alias);
CREATE TABLE fields (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  entity TEXT NOT NULL REFERENCES memories (id),
  name TEXT NOT NULL,
  key TEXT NOT NULL,           -- folded snake case of the name
  value TEXT NOT NULL,
  sensitivity TEXT NOT NULL CHECK (sensitivity IN ('', 'health', 'finance', 'intimate')),
  consent INTEGER NOT NULL CHECK (consent IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX fields_by_entity ON fields (entity, key);

CREATE TABLE pages (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  topic TEXT NOT NULL,
  title TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pages_by_topic ON pages (topic);
CREATE TABLE worldviews (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  topic TEXT NOT NULL,
  week TEXT NOT NULL,
  evidence TEXT NOT NULL       -- JSON array of memory ids
) STRICT, WITHOUT ROWID;
CREATE TABLE logs (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  type TEXT NOT NULL CHECK (type IN ('note', 'decision', 'checkpoint', 'project-state', 'ack')),
  channel TEXT NOT NULL,
  reason TEXT NOT NULL,
  about TEXT NOT NULL,
  CHECK (type <> 'decision' OR reason <> ''),
  CHECK ((type = 'ack') = (about <> ''))
) STRICT, WITHOUT ROWID;
CREATE INDEX logs_by_about ON logs (about) WHERE type = 'ack';
CREATE INDEX logs_by_type ON logs (type, id);
-- Which entry waits for whose acknowledgement, worked out from the entries by kg/unread.py. An agent is known to a project
-- once it wrote an entry there; '*' stands for one that is not known yet, and every entry that asks waits for it.
CREATE TABLE log_agents (
  project TEXT NOT NULL,
  agent TEXT NOT NULL,
  PRIMARY KEY (project, agent)
) STRICT, WITHOUT ROWID;
CREATE TABLE log_open (
  project TEXT NOT NULL,
  agent TEXT NOT NULL,         -- whose acknowledgement it waits for
  sort INTEGER NOT NULL CHECK (sort IN (0, 1, 2)), -- note, decision, project-state
  clock INTEGER NOT NULL,      -- of the entry
  entry TEXT NOT NULL,
  PRIMARY KEY (project, agent, sort, clock, entry)
) STRICT, WITHOUT ROWID;
CREATE TABLE work (            -- R73, R78: what the running turn of a session did so far; counted by hearing, once a line
  session TEXT PRIMARY KEY,
  project TEXT NOT NULL,
  agent TEXT NOT NULL,
  ended INTEGER NOT NULL CHECK (ended IN (0, 1)), -- 1: the turn is over
  calls INTEGER NOT NULL,      -- tool calls since the last checkpoint
  goal TEXT NOT NULL,          -- redacted beginning of the prompt
  files TEXT NOT NULL,         -- JSON array of changed paths, the last ones
  marks TEXT NOT NULL,         -- JSON array of what was marked, redacted
  checkpoint TEXT NOT NULL,    -- the log entry of the last one, '' where there is none
  last_at INTEGER NOT NULL,    -- the newest line counted, so that a second reading counts nothing
  last_id TEXT NOT NULL,
  said TEXT NOT NULL,          -- the turn's last message so far, and its time
  said_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX work_by_agent ON work (project, agent, last_at);
CREATE TABLE proposals (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  structure TEXT NOT NULL CHECK (structure IN ('agent', 'skill', 'rule', 'identity', 'page', 'edit', 'forget')),
  title TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'accepted', 'declined')),
  answer TEXT NOT NULL,
  target TEXT NOT NULL         -- the row or file that it is about, '' where it is about none
) STRICT, WITHOUT ROWID;
CREATE INDEX proposals_by_target ON proposals (structure, target);
CREATE TABLE vault_files (      -- what an export wrote where, without its text: an edit is known from it
  root TEXT NOT NULL,          -- real path of the vault
  path TEXT NOT NULL,
  project TEXT NOT NULL,
  memory TEXT NOT NULL,        -- the row that the file shows, '' of a list
  digest BLOB NOT NULL,
  PRIMARY KEY (root, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX vault_files_by_memory ON vault_files (memory);
CREATE TABLE conflicts (
  id TEXT PRIMARY KEY REFERENCES memories (id),
  strong TEXT NOT NULL REFERENCES memories (id),
  weak TEXT NOT NULL REFERENCES memories (id),
  state TEXT NOT NULL CHECK (state IN ('open', 'resolved')),
  winner TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conflicts_by_state ON conflicts (state, weak);
CREATE INDEX conflicts_by_strong ON conflicts (strong, state);

CREATE TABLE drops (           -- R42: what a curator found not worth keeping, with its reason
  n INTEGER PRIMARY KEY,
  project TEXT NOT NULL,
  item TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE TABLE applied (         -- a verdict is carried out once an item: the same one again finds its receipt
  item TEXT NOT NULL,
  digest TEXT NOT NULL,        -- hash of the verdict's canonical form
  receipt TEXT NOT NULL,       -- JSON
  PRIMARY KEY (item, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (         -- where a row comes from: queue item and message, a row each
  memory TEXT NOT NULL REFERENCES memories (id),
  item TEXT NOT NULL,
  conversation TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (memory, item, message)
) STRICT, WITHOUT ROWID;

-- The scope word of a row (a bank's is its project's, a b, and its agent's name in hexadecimal): letters and digits only, so that the tokenizer keeps it whole. What is in quarantine has a word
-- of its own, so that no recall finds it and none of it takes a place among the candidates.
CREATE VIEW memory_words AS
  SELECT n, CASE status WHEN 'quarantined' THEN 'apart' ELSE '' END || CASE WHEN project = '*' THEN 'pany' WHEN project = '-' THEN 'pnone'
    WHEN instr(project, '~') THEN replace(substr(project, 1, instr(project, '~') - 1), '_', '') || 'b' || lower(hex(substr(project, instr(project, '~') + 1)))
    ELSE replace(project, '_', '') END AS scope, shadow AS own
  FROM memories;
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  scope, own, content = 'memory_words', content_rowid = 'n', tokenize = "unicode61 remove_diacritics 0"
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);

-- The trail: bodies live once in revisions; entries hold a salted commitment, so a body can be dropped and the chain holds.
CREATE TABLE revisions (
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  body TEXT NOT NULL,          -- canonical JSON of envelope, body and sources
  salt BLOB NOT NULL,
  PRIMARY KEY (id, revision)
) STRICT, WITHOUT ROWID;
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  node TEXT NOT NULL,
  clock INTEGER NOT NULL,
  actor TEXT NOT NULL,
  act TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,   -- 0: the act wrote no body
  batch TEXT NOT NULL,
  commitment BLOB NOT NULL,
  prev BLOB NOT NULL,
  hash BLOB NOT NULL UNIQUE
) STRICT;
CREATE INDEX audit_by_id ON audit (id, revision);
CREATE TRIGGER audit_is_append_only_u BEFORE UPDATE ON audit BEGIN SELECT RAISE (ABORT, 'the trail is append-only'); END;
CREATE TRIGGER audit_is_append_only_d BEFORE DELETE ON audit BEGIN SELECT RAISE (ABORT, 'the trail is append-only'); END;

-- Of this home alone, never exported: what left and came in, and rows of an archive that no person confirmed as permanent here.
CREATE TABLE transfers (
  n INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  act TEXT NOT NULL CHECK (act IN ('export', 'import', 'confirm')),
  actor TEXT NOT NULL,
  batch TEXT NOT NULL,
  what TEXT NOT NULL           -- JSON: counts and ids
) STRICT;
CREATE TABLE unconfirmed (
  memory TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,   -- the one that is permanent by its body; a newer one made this row void
  batch TEXT NOT NULL,
  note TEXT NOT NULL           -- the row's own note, given back with its tier
) STRICT, WITHOUT ROWID;

-- The hub (docs/hub.md), of this home alone: which spaces it joined, and every node's stream of them, so that any complete node can
-- rebuild a hub. A body stands here once more than in `revisions`; a forgetting takes both.
CREATE TABLE hub_spaces (
  space TEXT PRIMARY KEY,
  node TEXT NOT NULL,          -- this home's name in the space
  member TEXT NOT NULL,        -- the person whose node it is
  role TEXT NOT NULL CHECK (role IN ('owner', 'writer', 'reader')),
  token TEXT NOT NULL,         -- JSON (schemas/hub.py): server, login, password, key of the tombstones
  trusted TEXT NOT NULL,       -- JSON array of members whose promotions count here, beside this member's own
  joined_at INTEGER NOT NULL,
  synced_at INTEGER NOT NULL,  -- 0: never
  fault TEXT NOT NULL          -- why the last try did not end, '' where it did
) STRICT, WITHOUT ROWID;
CREATE TABLE hub_projects (    -- what travels: a project (or '*', what holds everywhere) under its name in the space
  space TEXT NOT NULL,
  name TEXT NOT NULL,
  project TEXT NOT NULL UNIQUE,
  scanned INTEGER NOT NULL,    -- entries of this home's trail up to this one were looked at
  PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE hub_nodes (
  space TEXT NOT NULL,
  node TEXT NOT NULL,
  member TEXT NOT NULL,
  role TEXT NOT NULL,
  state TEXT NOT NULL,
  fault TEXT NOT NULL,         -- why this node's stream is not taken any further, '' where it is
  PRIMARY KEY (space, node)
) STRICT, WITHOUT ROWID;
CREATE TABLE hub_entries (
  n INTEGER PRIMARY KEY,
  space TEXT NOT NULL,
  node TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  act TEXT NOT NULL CHECK (act IN ('row', 'stone', 'gone')),
  line TEXT NOT NULL,
  hash BLOB NOT NULL,
  body TEXT,                   -- NULL: none, or forgotten
  salt BLOB,
  UNIQUE (space, node, seq)
) STRICT;
CREATE INDEX hub_entries_by_id ON hub_entries (id, space);
CREATE TABLE hub_saw (         -- up to where of another's stream a node had merged when it wrote an entry; written where that changed
  space TEXT NOT NULL,
  node TEXT NOT NULL,
  other TEXT NOT NULL,
  seq INTEGER NOT NULL,
  upto INTEGER NOT NULL,
  PRIMARY KEY (space, node, other, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE hub_waiting (     -- rows that point to one which has not come yet
  space TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE hub_apart (       -- two claims of one slot, each written where the other was not known: neither takes the other's place
  one TEXT NOT NULL,
  other TEXT NOT NULL,
  PRIMARY KEY (one, other)
) STRICT, WITHOUT ROWID;

-- What a turn was told. No text: ids, revisions, scores and cuts.
CREATE TABLE receipts (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,     -- the packet's id, carried by its fence
  session TEXT NOT NULL,
  project TEXT NOT NULL,
  event TEXT NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('offered', 'seen', 'kept', 'lost')),
  units INTEGER NOT NULL,      -- UTF-16 units of the packet
  lines TEXT NOT NULL          -- JSON array of [section, id, revision, fate, {arm: score}]
) STRICT;
CREATE INDEX receipts_by_session ON receipts (session, n);
CREATE TABLE packet_seen (     -- read back from a transcript, also from a fork's
  session TEXT NOT NULL,
  packet TEXT NOT NULL,
  PRIMARY KEY (session, packet)
) STRICT, WITHOUT ROWID;

-- Tiers (R46, R47): by whose act a revision is permanent. Derived from the trail: `person`, `how` and `at` are the entry's
-- actor, act and clock. Without a row here no memory is T2, whoever writes it; with its memory the row goes.
CREATE TABLE promotions (
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  person TEXT NOT NULL CHECK (person = 'person' OR person GLOB 'person:?*'),
  how TEXT NOT NULL,
  at INTEGER NOT NULL,
  signature BLOB NOT NULL,     -- empty unless a passphrase is set
  PRIMARY KEY (id, revision)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER permanent_by_promotion_i BEFORE INSERT ON memories
  WHEN NEW.tier = 'T2' AND NOT EXISTS (SELECT 1 FROM promotions WHERE id = NEW.id AND revision = NEW.revision)
  BEGIN SELECT RAISE (ABORT, 'no promotion of this revision'); END;
CREATE TRIGGER permanent_by_promotion_u BEFORE UPDATE ON memories
  WHEN NEW.tier = 'T2' AND NOT EXISTS (SELECT 1 FROM promotions WHERE id = NEW.id AND revision = NEW.revision)
  BEGIN SELECT RAISE (ABORT, 'no promotion of this revision'); END;
CREATE TRIGGER promotion_of_a_permanent_row_d BEFORE DELETE ON promotions
  WHEN EXISTS (SELECT 1 FROM memories WHERE id = OLD.id AND revision = OLD.revision AND tier = 'T2')
  BEGIN SELECT RAISE (ABORT, 'a permanent row stands on this promotion'); END;
CREATE TRIGGER promotion_is_of_one_revision BEFORE UPDATE OF id, revision ON promotions
  BEGIN SELECT RAISE (ABORT, 'a promotion is of one revision'); END;
CREATE TRIGGER promotions_go_with_their_memory AFTER DELETE ON memories
  BEGIN DELETE FROM promotions WHERE id = OLD.id; END;

CREATE TABLE typed_answers (   -- R132: an answer line that the prompt hook saw; no text, carried out once by hearing
  n INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  target TEXT NOT NULL,        -- the id as it was typed
  answer TEXT NOT NULL CHECK (answer IN ('yes', 'no', 'promote')),
  at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('noted', 'done', 'refused')),
  message TEXT NOT NULL        -- the transcript's line that bore it out, '' while noted
) STRICT;
CREATE INDEX typed_answers_by_session ON typed_answers (session, state);

-- Never again. A tombstone holds keyed hashes alone: `form` marks of a whole value in its normal form, and, of a refused
-- value, `word` marks, so that a near match is recognised. The trail carries each (kind `tombstone`), so a replay has them.
CREATE TABLE tombstones (
  id TEXT PRIMARY KEY,
  project TEXT NOT NULL,       -- where the value may not come back; '*': anywhere
  why TEXT NOT NULL CHECK (why IN ('refused', 'forgotten')),
  memory TEXT NOT NULL,        -- the refused row; '' of what was forgotten
  words INTEGER NOT NULL,      -- how many `word` marks it has
  lifted INTEGER NOT NULL CHECK (lifted IN (0, 1)), -- 1: a person took it back
  batch TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE tombstone_marks (
  mark BLOB NOT NULL,
  sort TEXT NOT NULL CHECK (sort IN ('form', 'word')),
  stone TEXT NOT NULL REFERENCES tombstones (id),
  PRIMARY KEY (mark, sort, stone)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_marks_by_stone ON tombstone_marks (stone);

CREATE TABLE forgotten (       -- where it was said: never heard again
  sort TEXT NOT NULL CHECK (sort IN ('message', 'conversation')),
  id TEXT NOT NULL,
  until_at INTEGER NOT NULL,   -- of a conversation: what was said up to then
  PRIMARY KEY (sort, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgettings (     -- an intent each: hidden at once, scrubbed when it can be, proven by a byte search
  id TEXT PRIMARY KEY,
  batch TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('hidden', 'scrubbed', 'proven')),
  memories TEXT NOT NULL,      -- JSON arrays of ids
  messages TEXT NOT NULL,
  needles BLOB NOT NULL,       -- enciphered words to search the home's bytes for; empty once proven
  why TEXT NOT NULL,           -- what it still waits for
  CHECK ((state = 'proven') = (length (needles) = 0))
) STRICT, WITHOUT ROWID;
-- Dreaming: what the passes without a person have done already, what models cost, and what was replayed.
CREATE TABLE digested (        -- a sentence becomes a row once: which ones mining or consolidation took, and into what
  message TEXT NOT NULL,
  position INTEGER NOT NULL,   -- code point in the message at which the sentence begins
  sense TEXT NOT NULL CHECK (sense IN ('said', 'corrected')), -- read as a statement, or as a correction of something
  memory TEXT NOT NULL,        -- '': the one write path refused it (a refused or forgotten value), so it is not tried again
  at INTEGER NOT NULL,
  PRIMARY KEY (message, position, sense)
) STRICT, WITHOUT ROWID;
CREATE TABLE slept (           -- when each project was consolidated last; written also by a try that a model did not answer
  project TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE spend (           -- R58: the one ledger; money in millionths of a US dollar
  n INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  day TEXT NOT NULL,           -- the person's local date: a day's ceiling counts it
  command TEXT NOT NULL,       -- sleep, replay, …
  run TEXT NOT NULL,           -- one run of the command: its ceiling counts it
  model TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'booked', 'failed', 'refused')),
  micros INTEGER NOT NULL CHECK (micros >= 0), -- what counts: reserved at most, or what it cost
  tokens INTEGER NOT NULL CHECK (tokens >= 0), -- likewise, in and out together
  asked_micros INTEGER NOT NULL,
  asked_tokens INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,   -- 0 while reserved: a crash leaves it so, and counted
  reason TEXT NOT NULL,        -- which ceiling refused it, or what failed
  CHECK (state <> 'refused' OR (micros = 0 AND tokens = 0))
) STRICT;
CREATE INDEX spend_by_day ON spend (day);
CREATE INDEX spend_by_run ON spend (run);
CREATE TABLE kept_answers (    -- what a model said (redacted) until its rows are written: a killed process does not ask, and pay, twice
  asked TEXT PRIMARY KEY,      -- hash of the model's name and the prompt
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE evolved (         -- R94: the weekly reflections
  week TEXT PRIMARY KEY,       -- ISO week
  at INTEGER NOT NULL,
  batch TEXT NOT NULL,
  wisdom TEXT NOT NULL         -- JSON object: lesson → its revision then, for next week's report
) STRICT, WITHOUT ROWID;
CREATE TABLE replays (         -- R60: one run over the tasks; it decides nothing
  id TEXT PRIMARY KEY,
  project TEXT NOT NULL,
  model TEXT NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'cut')) -- cut: a ceiling, a fault or a kill ended it
) STRICT, WITHOUT ROWID;
CREATE TABLE replay_cells (    -- one task in one arm
  replay TEXT NOT NULL REFERENCES replays (id),
  task TEXT NOT NULL,
  arm TEXT NOT NULL CHECK (arm IN ('none', 'permanent', 'covered')),
  passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
  micros INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  note TEXT NOT NULL,          -- why the check failed, in our own words; never the model's answer
  PRIMARY KEY (replay, task, arm)
) STRICT, WITHOUT ROWID;
CREATE TABLE replay_covers (   -- which candidates a task of a run was about
  replay TEXT NOT NULL REFERENCES replays (id),
  task TEXT NOT NULL,
  memory TEXT NOT NULL,
  PRIMARY KEY (replay, task, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX replay_covers_by_memory ON replay_covers (memory);
-- STATE and DRIVES: what a typed message of the person moved, in numbers; no text. A value is worked out from the rows in order.
CREATE TABLE state_points (
  message TEXT PRIMARY KEY,
  agent TEXT NOT NULL,         -- the client whose tone it is
  project TEXT NOT NULL,
  conversation TEXT NOT NULL,
  at INTEGER NOT NULL,
  offset_minutes INTEGER NOT NULL,
  shifts TEXT NOT NULL,        -- JSON array, a number a channel in the order of schemas/state.py
  state TEXT NOT NULL,         -- JSON array of the eight values after it, each from 0 to 1
  mood TEXT NOT NULL,          -- a word of schemas/event.py, '' where none is clear
  drives TEXT NOT NULL         -- JSON array of the drives that it touched
) STRICT, WITHOUT ROWID;
CREATE TABLE endings (         -- R70, R103: how a conversation ended, as a curator put it (redacted)
  conversation TEXT NOT NULL,
  project TEXT NOT NULL,
  outcome TEXT NOT NULL,
  mood TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (conversation, project)
) STRICT, WITHOUT ROWID;
CREATE INDEX state_points_in_order ON state_points (agent, at, message);
CREATE INDEX state_points_by_conversation ON state_points (conversation, at);
