-- The keys that a key was made by, its own maker first: the send limits of all of them count what the key sends.
ALTER TABLE api_keys ADD COLUMN makers uuid[] NOT NULL DEFAULT '{}';

WITH RECURSIVE chain AS (
  SELECT account_id, id, created_by_key AS maker, 1 AS rank FROM api_keys WHERE created_by_key IS NOT NULL
  UNION ALL
  SELECT c.account_id, c.id, k.created_by_key, c.rank + 1 FROM chain c
  JOIN api_keys k ON k.account_id = c.account_id AND k.id = c.maker WHERE k.created_by_key IS NOT NULL
)
UPDATE api_keys k SET makers = c.makers
FROM (SELECT account_id, id, array_agg(maker ORDER BY rank) AS makers FROM chain GROUP BY account_id, id) AS c
WHERE k.account_id = c.account_id AND k.id = c.id;

-- A limit of a maker is a rule of every key below it, so that it counts in their versions as well.
CREATE FUNCTION count_limit_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_keys SET version = version + 1 WHERE account_id = NEW.account_id AND makers @> ARRAY[NEW.id];
  RETURN NULL;
END $$;

CREATE TRIGGER count_limit_version AFTER UPDATE OF hourly_sends, daily_sends ON api_keys FOR EACH ROW
WHEN ((OLD.hourly_sends, OLD.daily_sends) IS DISTINCT FROM (NEW.hourly_sends, NEW.daily_sends)) EXECUTE FUNCTION count_limit_version();

-- A new secret counts too: the request that is at work may have shown the one before.
DROP TRIGGER count_key_version ON api_keys;
CREATE TRIGGER count_key_version BEFORE UPDATE ON api_keys FOR EACH ROW
WHEN (
  (OLD.mode, OLD.scopes, OLD.recipient_allowlist, OLD.ip_allowlist, OLD.attachment_hosts, OLD.expires_at, OLD.approval_mode, OLD.hold_when,
    OLD.persona_source, OLD.persona_agent_name, OLD.lock_persona, OLD.hourly_sends, OLD.daily_sends, OLD.paused_at, OLD.revoked_at, OLD.secret_hash)
  IS DISTINCT FROM
  (NEW.mode, NEW.scopes, NEW.recipient_allowlist, NEW.ip_allowlist, NEW.attachment_hosts, NEW.expires_at, NEW.approval_mode, NEW.hold_when,
    NEW.persona_source, NEW.persona_agent_name, NEW.lock_persona, NEW.hourly_sends, NEW.daily_sends, NEW.paused_at, NEW.revoked_at, NEW.secret_hash)
)
EXECUTE FUNCTION count_key_version();
