-- Searches for values whose matches are all old, and for texts that have no trigrams.

-- A message is in two spans: the first five digits of its id, three days, and the first six, which are a sixteenth of that. The index contains
-- both next to the filter values, so it returns the matches of one span without reading all others. Written in standard SQL because maintenance
-- of an index resolves no names.
CREATE FUNCTION search_spans(account uuid, message uuid) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ARRAY[search_facet(account, 'span:' || left(message::text, 5)), search_facet(account, 'span:' || left(message::text, 6))];

-- Nothing in this migration blocks searches until the last two statements. All partitions are built one after the other, so the memory is needed once.
SET LOCAL maintenance_work_mem = '256MB';

-- A search reads the list of pending entries once for every span, so it is shorter than that of the texts.
CREATE INDEX message_search_spans ON message_search USING gin (facets, search_spans(account_id, message_id))
  WITH (gin_pending_list_limit = 128);

-- Which pairs of adjacent characters occur in the texts of a span of five digits; see db/queries/search-pairs.ts.
CREATE TABLE search_pairs (
  account_id uuid NOT NULL,
  span integer NOT NULL,
  pairs bit(65536) NOT NULL,
  PRIMARY KEY (account_id, span)
);
SELECT protect_account_table('search_pairs');

-- Earlier messages may contain any pair. The new index already blocks writes, so this finds every message that is indexed without pairs.
INSERT INTO search_pairs (account_id, span, pairs)
SELECT account_id, ('x' || span)::bit(20)::int, repeat('1', 65536)::bit(65536)
FROM (SELECT DISTINCT account_id, left(message_id::text, 5) AS span FROM message_search) AS earlier;

DROP INDEX message_search_facets;
ALTER INDEX message_search_spans RENAME TO message_search_facets;
