-- Sends that are held until a person decides. What is held is the message itself: its rows are written as those of every other, save that it
-- stands at `pending_approval` and has no deliveries, so that nothing can hand it over. Approving it writes the deliveries.

ALTER TABLE accounts ADD COLUMN approval_hours integer NOT NULL DEFAULT 72 CHECK (approval_hours BETWEEN 1 AND 720); -- until nobody has decided

CREATE TABLE approvals (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  message_id uuid NOT NULL,
  key_id uuid NOT NULL, -- the key that sent it
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'withdrawn')),
  reasons text[] NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  content_hash text NOT NULL, -- of what is to be seen of the message: SHA-256 in hexadecimal
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  remind_at timestamptz, -- when the approvers are reminded next; null where they are no more
  told_at timestamptz, -- when the approvers were told
  decided_at timestamptz,
  decided_by text, -- the id of a key or a person, or `system`
  note text,
  reject_code text CHECK (reject_code IN ('wrong_recipient', 'wrong_content', 'not_needed', 'policy', 'other')),
  edited text[] NOT NULL DEFAULT '{}',
  outcome text CHECK (outcome IN ('queued', 'failed')), -- of an approval
  problem jsonb, -- why it failed
  PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX approvals_message ON approvals (account_id, message_id);
CREATE INDEX approvals_status ON approvals (account_id, status, id);
CREATE INDEX approvals_key ON approvals (account_id, key_id, id);
CREATE INDEX approvals_pending ON approvals (account_id, key_id) WHERE status = 'pending';
CREATE INDEX approvals_due ON approvals (least(expires_at, remind_at)) WHERE status = 'pending';
CREATE INDEX approvals_untold ON approvals (created_at) WHERE status = 'pending' AND told_at IS NULL;

-- What an approver changed: each field as it was and as it became.
CREATE TABLE approval_revisions (
  account_id uuid NOT NULL,
  approval_id uuid NOT NULL,
  revision integer NOT NULL, -- the one that came of it, from 2
  changes jsonb NOT NULL, -- by field: {"before": …, "after": …}
  actor text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, approval_id, revision),
  FOREIGN KEY (account_id, approval_id) REFERENCES approvals (account_id, id) ON DELETE CASCADE
);

-- What happened to a hold, by whom and by which way. Only ever added to.
CREATE TABLE approval_events (
  account_id uuid NOT NULL,
  approval_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL, -- requested, edited, approved, rejected, expired, withdrawn, reminded
  actor text NOT NULL,
  way text NOT NULL, -- rest, mcp, smtp, mail, system
  address text, -- of the client, where it came over the network
  request_id text,
  hash_before text,
  hash_after text,
  detail text, -- the rules that held it, or what was said of the decision
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, approval_id, id)
);

CREATE FUNCTION refuse_approval_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('postrider.erasing_account', true) = OLD.account_id::text THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the trail of holds is only ever added to' USING ERRCODE = '0A000';
END $$;

CREATE TRIGGER approval_events_append_only BEFORE UPDATE OR DELETE ON approval_events
  FOR EACH ROW EXECUTE FUNCTION refuse_approval_event_change();
CREATE TRIGGER approval_events_no_truncate BEFORE TRUNCATE ON approval_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_approval_event_change();

-- Whom a key may write to without the rules about strangers: an approver said `remember`. It refers to no table: deciding holds the lock of the
-- hold and would ask for that of the key, while revoking the key does both the other way round.
CREATE TABLE trusted_recipients (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  email text NOT NULL, -- folded to lower case
  approval_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, key_id, email)
);

-- The links in mail to approvers: each decides one revision of one hold, for one person, once.
CREATE TABLE approval_links (
  account_id uuid NOT NULL,
  token_hash bytea NOT NULL, -- SHA-256
  approval_id uuid NOT NULL,
  revision integer NOT NULL,
  member_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (account_id, token_hash),
  FOREIGN KEY (account_id, approval_id) REFERENCES approvals (account_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX approval_links_token ON approval_links (token_hash);
CREATE INDEX approval_links_approval ON approval_links (account_id, approval_id);

-- Ends a hold that is not approved: the message becomes `ended`, its quota goes back to the month it was taken from, and, where it is withdrawn,
-- all that it said goes too, as with every message that is canceled. Who calls holds the lock of the approval's row.
CREATE FUNCTION end_held_message(account uuid, message uuid, ended text, event_id uuid, at timestamptz, told text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  units integer;
  accepted_at timestamptz;
  seq integer;
BEGIN
  SELECT m.charged, m.created_at INTO units, accepted_at FROM messages m
    WHERE m.account_id = account AND m.id = message AND m.status = 'pending_approval' FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the message of a hold is not held';
  END IF;
  UPDATE message_recipients r SET status = ended WHERE r.account_id = account AND r.message_id = message;
  UPDATE messages m SET status = ended, charged = 0, event_count = m.event_count + 1
    WHERE m.account_id = account AND m.id = message RETURNING m.event_count INTO seq;
  INSERT INTO message_events (account_id, message_id, seq, id, type, detail, created_at)
    VALUES (account, message, seq, event_id, ended, told, at);
  IF ended = 'canceled' THEN
    DELETE FROM message_bodies b WHERE b.account_id = account AND b.message_id = message;
    DELETE FROM message_attachments a WHERE a.account_id = account AND a.message_id = message;
    DELETE FROM message_tracking t WHERE t.account_id = account AND t.message_id = message;
  END IF;
  -- Last, because every send of the account waits for this row.
  IF units > 0 THEN
    UPDATE quota_usage u SET used = greatest(0, u.used - units)
      WHERE u.account_id = account AND u.month = date_trunc('month', accepted_at AT TIME ZONE 'UTC')::date;
  END IF;
END $$;
