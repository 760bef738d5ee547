-- The hub: what nodes of a space hand to each other. Every key begins with the space and no statement crosses spaces, so `space` is
-- the column to partition and to distribute by. The hub decides nothing about memory: it keeps each node's stream in order,
-- refuses one that does not follow from what is there, and drops the words of what was forgotten.
CREATE SCHEMA bellek_hub;

CREATE TABLE bellek_hub.nodes (
  space text NOT NULL,
  node text NOT NULL,
  member text NOT NULL,        -- the person whose node it is
  role text NOT NULL CHECK (role IN ('owner', 'writer', 'reader')),
  state text NOT NULL CHECK (state IN ('in', 'cut', 'left')),
  login text NOT NULL,         -- the one database role of this node: its token
  head_seq bigint NOT NULL DEFAULT 0,
  head_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
  PRIMARY KEY (space, node)
) PARTITION BY HASH (space);
CREATE INDEX nodes_by_login ON bellek_hub.nodes (space, login);

CREATE TABLE bellek_hub.entries (
  space text NOT NULL,
  node text NOT NULL,
  seq bigint NOT NULL CHECK (seq >= 1),
  id text NOT NULL,
  act text NOT NULL CHECK (act IN ('row', 'stone', 'gone')),
  line text NOT NULL,          -- JSON: what was done, and the salted commitment to the body
  hash bytea NOT NULL,         -- SHA-256 over the hash before it and this line
  body text,                   -- NULL: none, or forgotten
  salt bytea,
  PRIMARY KEY (space, node, seq)
) PARTITION BY HASH (space);
CREATE INDEX entries_by_id ON bellek_hub.entries (space, id);

CREATE TABLE bellek_hub.gone ( -- ids whose words are dropped, whenever they come
  space text NOT NULL,
  id text NOT NULL,
  PRIMARY KEY (space, id)
) PARTITION BY HASH (space);

DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format('CREATE TABLE bellek_hub.nodes_%s PARTITION OF bellek_hub.nodes FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
    EXECUTE format('CREATE TABLE bellek_hub.entries_%s PARTITION OF bellek_hub.entries FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
    EXECUTE format('CREATE TABLE bellek_hub.gone_%s PARTITION OF bellek_hub.gone FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;

-- Who asks is the database role; which space a connection is about is said once, by `SET bellek.space`.
CREATE FUNCTION bellek_hub.reads (asked text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT EXISTS (SELECT 1 FROM bellek_hub.nodes n WHERE n.space = asked AND n.login = session_user AND n.state = 'in')
$$;
CREATE FUNCTION bellek_hub.writes_as (asked text) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT n.node FROM bellek_hub.nodes n WHERE n.space = asked AND n.login = session_user AND n.state = 'in' AND n.role <> 'reader'
$$;

-- A connection's own waiting room for a run of entries of its one space: COPY cannot pass row-level security, an INSERT from here can.
CREATE FUNCTION bellek_hub.make_room () RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass('pg_temp.arriving') IS NULL THEN
    CREATE TEMP TABLE arriving (space text, node text, seq bigint, id text, act text, line text, hash bytea, body text, salt bytea) ON COMMIT DELETE ROWS;
  END IF;
END $$;

-- Each node's chain is held here, whatever a client sends: no gap, no rewriting, no words of what was forgotten.
CREATE FUNCTION bellek_hub.take_in () RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  here text; who text; streams bigint; low bigint; high bigint; many bigint; told bigint; last_hash bytea; last_seq bigint; wrong bigint;
BEGIN
  SELECT min(space), min(node), count(DISTINCT (space, node)), min(seq), max(seq), count(*), count(*) FILTER (WHERE act = 'gone')
    INTO here, who, streams, low, high, many, told FROM fresh;
  IF many = 0 THEN RETURN NULL; END IF;
  IF streams <> 1 THEN RAISE EXCEPTION 'bellek: one stream at a time'; END IF;
  SELECT head_seq, head_hash INTO last_seq, last_hash FROM bellek_hub.nodes WHERE space = here AND node = who FOR UPDATE;
  IF last_seq IS NULL OR low <> last_seq + 1 OR high - low + 1 <> many THEN RAISE EXCEPTION 'bellek: the stream has a gap'; END IF;
  SELECT count(*) INTO wrong FROM (
    SELECT hash, sha256(lag(hash, 1, last_hash) OVER (ORDER BY seq) || convert_to(space || E'\n' || node || E'\n' || seq || E'\n' || line, 'UTF8')) AS due
    FROM fresh WHERE space = here) f WHERE hash <> due;
  IF wrong > 0 THEN RAISE EXCEPTION 'bellek: the stream does not follow from what is here'; END IF;
  UPDATE bellek_hub.nodes SET head_seq = high, head_hash = (SELECT hash FROM fresh WHERE space = here AND seq = high) WHERE space = here AND node = who;
  -- A forgetting waits for those who push at this moment and finds their words; they find it.
  IF told > 0 THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(here, 0));
    INSERT INTO bellek_hub.gone (space, id) SELECT DISTINCT space, id FROM fresh WHERE space = here AND act = 'gone' ON CONFLICT DO NOTHING;
    UPDATE bellek_hub.entries e SET body = NULL, salt = NULL
      WHERE e.space = here AND e.body IS NOT NULL AND e.id IN (SELECT id FROM fresh WHERE space = here AND act = 'gone');
  ELSE
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(here, 0));
  END IF;
  IF EXISTS (SELECT 1 FROM bellek_hub.gone WHERE space = here) THEN
    UPDATE bellek_hub.entries e SET body = NULL, salt = NULL WHERE e.space = here AND e.node = who AND e.seq BETWEEN low AND high
      AND e.body IS NOT NULL AND e.id IN (SELECT id FROM bellek_hub.gone WHERE space = here);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_are_taken_in AFTER INSERT ON bellek_hub.entries REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION bellek_hub.take_in ();

ALTER TABLE bellek_hub.nodes ENABLE ROW LEVEL SECURITY;
ALTER TABLE bellek_hub.entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE bellek_hub.gone ENABLE ROW LEVEL SECURITY;
CREATE POLICY nodes_read ON bellek_hub.nodes FOR SELECT
  USING (space = current_setting('bellek.space', true) AND (SELECT bellek_hub.reads(current_setting('bellek.space', true))));
CREATE POLICY entries_read ON bellek_hub.entries FOR SELECT
  USING (space = current_setting('bellek.space', true) AND (SELECT bellek_hub.reads(current_setting('bellek.space', true))));
CREATE POLICY entries_write ON bellek_hub.entries FOR INSERT
  WITH CHECK (space = current_setting('bellek.space', true) AND node = (SELECT bellek_hub.writes_as(current_setting('bellek.space', true))));

DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'bellek_hub_node') THEN CREATE ROLE bellek_hub_node NOLOGIN; END IF;
END $$;
REVOKE ALL ON SCHEMA bellek_hub FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA bellek_hub FROM PUBLIC;
GRANT USAGE ON SCHEMA bellek_hub TO bellek_hub_node;
GRANT EXECUTE ON FUNCTION bellek_hub.reads (text), bellek_hub.writes_as (text), bellek_hub.make_room () TO bellek_hub_node;
GRANT SELECT ON bellek_hub.nodes TO bellek_hub_node;
GRANT SELECT, INSERT ON bellek_hub.entries TO bellek_hub_node;
