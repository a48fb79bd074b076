-- Search in the message log. What can be filtered stands in a table of its own, which the accepting statement does not write: it only notes
-- the new ids in `search_backlog`, one row a batch, and workers bring them over in the background. A message is so always in one of the two,
-- whatever the clocks of the processes say and however late a transaction commits, and a search that reads both misses none.

-- Substring search needs trigrams. The extension is trusted: whoever may create in the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE message_search (
  account_id uuid NOT NULL,
  message_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  facets bigint[] NOT NULL, -- of search_facet: what a message is filtered by for equality
  search text NOT NULL, -- subject, addresses and names in lower case, a line each
  PRIMARY KEY (account_id, message_id)
) PARTITION BY RANGE (message_id);

CREATE TABLE message_search_other PARTITION OF message_search DEFAULT;

-- A short list of pending entries: every search reads all of it, and the background can afford to merge it often.
CREATE INDEX message_search_facets ON message_search USING gin (facets) WITH (gin_pending_list_limit = 1024);

-- The extension may have been put into a schema that is not on the search path.
DO $$
BEGIN
  EXECUTE format('CREATE INDEX message_search_text ON message_search USING gin (search %I.gin_trgm_ops) WITH (gin_pending_list_limit = 1024)',
    (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'));
END $$;

-- Filled and emptied all the time.
CREATE TABLE search_backlog (
  account_id uuid NOT NULL,
  message_ids uuid[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- One number for the account and the value together: the index so keeps a list for each account by itself, and a filter of a small account
-- does not read past the rows of a large one.
CREATE FUNCTION search_facet(account uuid, facet text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended(facet, uuid_hash_extended(account, 0))
$$;

CREATE FUNCTION search_facets(account uuid, facets text[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_agg(search_facet(account, facet)) FROM unnest(facets) AS facet
$$;

-- The months the log has already, and what it holds.
DO $$
DECLARE
  month text;
  at timestamptz;
BEGIN
  FOR month IN SELECT right(relname, 7) FROM pg_inherits JOIN pg_class ON oid = inhrelid
    WHERE inhparent = 'messages'::regclass AND relname ~ '_\d{4}_\d\d$'
  LOOP
    at := (replace(month, '_', '-') || '-01 00:00:00+00')::timestamptz;
    EXECUTE format('CREATE TABLE %I PARTITION OF message_search FOR VALUES FROM (%L) TO (%L)', 'message_search_' || month,
      uuid_v7_lower_bound(at), uuid_v7_lower_bound((at AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC'));
  END LOOP;
END $$;

INSERT INTO search_backlog (account_id, message_ids)
SELECT account_id, array_agg(id) FROM (
  SELECT account_id, id, (row_number() OVER (PARTITION BY account_id ORDER BY id)) / 500 AS part FROM messages) AS numbered
GROUP BY account_id, part;
