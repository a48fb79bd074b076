-- The hosts a key may fetch attachments from. Null: any for an ordinary key, none for a test key or one in approval mode.
ALTER TABLE api_keys ADD COLUMN attachment_hosts text[];

DROP TRIGGER count_key_version ON api_keys;
CREATE TRIGGER count_key_version BEFORE UPDATE ON api_keys FOR EACH ROW
WHEN (
  (OLD.mode, OLD.scopes, OLD.recipient_allowlist, OLD.ip_allowlist, OLD.attachment_hosts, OLD.expires_at, OLD.approval_mode, OLD.hold_when,
    OLD.persona_source, OLD.persona_agent_name, OLD.lock_persona, OLD.hourly_sends, OLD.daily_sends, OLD.paused_at, OLD.revoked_at)
  IS DISTINCT FROM
  (NEW.mode, NEW.scopes, NEW.recipient_allowlist, NEW.ip_allowlist, NEW.attachment_hosts, NEW.expires_at, NEW.approval_mode, NEW.hold_when,
    NEW.persona_source, NEW.persona_agent_name, NEW.lock_persona, NEW.hourly_sends, NEW.daily_sends, NEW.paused_at, NEW.revoked_at)
)
EXECUTE FUNCTION count_key_version();

-- The quota units that a hold reserves, so that those of an account can be summed up without their messages.
ALTER TABLE approvals ADD COLUMN charged integer NOT NULL DEFAULT 0;
UPDATE approvals a SET charged = m.charged FROM messages m
WHERE a.status = 'pending' AND m.account_id = a.account_id AND m.id = a.message_id;
CREATE INDEX approvals_reserved ON approvals (account_id) INCLUDE (charged) WHERE status = 'pending';
