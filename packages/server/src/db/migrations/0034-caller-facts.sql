-- What restricts a key has a version, so that the statement that accepts a send can refuse one that was judged by an earlier state of its key.
ALTER TABLE api_keys ADD COLUMN version integer NOT NULL DEFAULT 1;

CREATE FUNCTION count_key_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

CREATE TRIGGER count_key_version BEFORE UPDATE ON api_keys FOR EACH ROW
WHEN (
  (OLD.mode, OLD.scopes, OLD.recipient_allowlist, OLD.ip_allowlist, OLD.expires_at, OLD.approval_mode, OLD.hold_when, OLD.persona_source,
    OLD.persona_agent_name, OLD.lock_persona, OLD.hourly_sends, OLD.daily_sends, OLD.paused_at, OLD.revoked_at)
  IS DISTINCT FROM
  (NEW.mode, NEW.scopes, NEW.recipient_allowlist, NEW.ip_allowlist, NEW.expires_at, NEW.approval_mode, NEW.hold_when, NEW.persona_source,
    NEW.persona_agent_name, NEW.lock_persona, NEW.hourly_sends, NEW.daily_sends, NEW.paused_at, NEW.revoked_at)
)
EXECUTE FUNCTION count_key_version();

-- A member's role is what the key of their seat may do.
CREATE FUNCTION count_seat_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_keys SET version = version + 1 WHERE account_id = NEW.account_id AND id = NEW.id AND is_seat;
  RETURN NULL;
END $$;

CREATE TRIGGER count_seat_version AFTER UPDATE OF role ON members FOR EACH ROW
WHEN (OLD.role IS DISTINCT FROM NEW.role) EXECUTE FUNCTION count_seat_version();

-- An idempotency key belongs to the API key that sent it, so that no key can stall or replay what another sends.
ALTER TABLE idempotency_keys ADD COLUMN key_id uuid;
UPDATE idempotency_keys k SET key_id = m.key_id FROM messages m WHERE m.account_id = k.account_id AND m.id = k.message_id;
-- A key whose message is gone stands for nothing.
DELETE FROM idempotency_keys WHERE key_id IS NULL;
ALTER TABLE idempotency_keys
  ALTER COLUMN key_id SET NOT NULL,
  DROP CONSTRAINT idempotency_keys_pkey,
  ADD PRIMARY KEY (account_id, key_id, key);

-- The key that asked for a message which goes out under another one, as a resend does; null where that is the same.
ALTER TABLE messages ADD COLUMN asked_by uuid;

-- `emails:content` shows the messages of the key itself from here on. Keys that may do everything keep seeing those of others.
UPDATE api_keys SET scopes = scopes || '{emails:content-all}'
WHERE scopes @> '{emails:content, keys:write, account:write}' AND approval_mode = 'off' AND mode = 'live' AND NOT scopes @> '{emails:content-all}';
