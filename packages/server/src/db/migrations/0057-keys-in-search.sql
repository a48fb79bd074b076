-- The key that a message was sent under becomes one of the values that the log is filtered by. What is indexed already gets it here; every row is
-- rewritten, which is faster without the indexes.
SET LOCAL maintenance_work_mem = '256MB';

DROP INDEX message_search_facets, message_search_text;

UPDATE message_search s SET facets = s.facets || search_facet(s.account_id, 'key:' || m.key_id)
FROM messages m WHERE m.account_id = s.account_id AND m.id = s.message_id;

CREATE INDEX message_search_facets ON message_search USING gin (facets, search_spans(account_id, message_id))
  WITH (gin_pending_list_limit = 128);

-- The extension may have been put into a schema that is not on the search path.
DO $$
BEGIN
  EXECUTE format('CREATE INDEX message_search_text ON message_search USING gin (search %I.gin_trgm_ops) WITH (gin_pending_list_limit = 1024)',
    (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'));
END $$;
