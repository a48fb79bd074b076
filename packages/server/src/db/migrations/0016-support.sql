-- Support tickets. `number` is what people call a ticket by; it counts over the whole installation, since the operator answers all of them.
CREATE TABLE support_tickets (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  status text NOT NULL CHECK (status IN ('open', 'pending', 'solved', 'closed')),
  subject text NOT NULL,
  key_id uuid NOT NULL, -- who raised it
  context json NOT NULL, -- as the caller gave it, in its order
  request_id text,
  request_log json, -- the logged request, as it was then
  email_id uuid,
  email_trail json, -- the message without its content, and its newest events, as they were then
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX support_tickets_number ON support_tickets (number);

CREATE TABLE support_messages (
  account_id uuid NOT NULL,
  ticket_id uuid NOT NULL,
  seq integer NOT NULL,
  author text NOT NULL CHECK (author IN ('customer', 'support')),
  key_id uuid, -- of the customer's messages
  body text NOT NULL,
  mailed_to text, -- of support's messages: whom they were mailed to, if anybody
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, ticket_id, seq),
  FOREIGN KEY (account_id, ticket_id) REFERENCES support_tickets (account_id, id) ON DELETE CASCADE
);

-- Where each account's chain of the audit log ends. The chain alone shows every change but one: entries taken away at its end leave a chain
-- that is whole. The next entry follows what stands here and not what is left of the log, so such a gap never closes again.
CREATE TABLE audit_heads (
  account_id uuid PRIMARY KEY,
  seq bigint NOT NULL,
  hash text NOT NULL
);

INSERT INTO audit_heads (account_id, seq, hash)
SELECT DISTINCT ON (account_id) account_id, seq, hash FROM audit_log ORDER BY account_id, seq DESC;

-- As in 0007, and keeps the heads.
CREATE OR REPLACE FUNCTION append_audit(entries jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  entry record;
  last_account uuid;
  last_seq bigint;
  last_hash text;
BEGIN
  FOR entry IN
    SELECT e.* FROM ROWS FROM (jsonb_to_recordset(entries) AS (account_id uuid, id uuid, action text, actor text, target_id text, details jsonb,
      created_at timestamptz)) WITH ORDINALITY AS e (account_id, id, action, actor, target_id, details, created_at, place)
    ORDER BY e.account_id, e.place
  LOOP
    IF last_account IS DISTINCT FROM entry.account_id THEN
      PERFORM set_audit_head(last_account, last_seq, last_hash);
      last_account := entry.account_id;
      PERFORM pg_advisory_xact_lock(hashtextextended('postrider.audit ' || entry.account_id, 0));
      SELECT h.seq, h.hash INTO last_seq, last_hash FROM audit_heads h WHERE h.account_id = entry.account_id;
      IF NOT FOUND THEN
        SELECT l.seq, l.hash INTO last_seq, last_hash FROM audit_log l WHERE l.account_id = entry.account_id ORDER BY l.seq DESC LIMIT 1;
      END IF;
    END IF;
    last_hash := coalesce(last_hash, repeat('0', 64));
    last_seq := coalesce(last_seq, 0) + 1;
    INSERT INTO audit_log (account_id, id, seq, action, actor, target_id, details, created_at, previous_hash, hash)
    VALUES (entry.account_id, entry.id, last_seq, entry.action, entry.actor, entry.target_id, entry.details, entry.created_at, last_hash,
      audit_hash(last_hash, entry.account_id, entry.id, last_seq, entry.action, entry.actor, entry.target_id, entry.created_at, entry.details))
    RETURNING hash INTO last_hash;
  END LOOP;
  PERFORM set_audit_head(last_account, last_seq, last_hash);
END $$;

CREATE FUNCTION set_audit_head(account uuid, last_seq bigint, last_hash text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF account IS NULL THEN RETURN; END IF;
  INSERT INTO audit_heads AS h (account_id, seq, hash) VALUES (account, last_seq, last_hash)
  ON CONFLICT (account_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash;
END $$;

-- An account that is erased leaves no head behind; entries are deleted on no other occasion.
CREATE FUNCTION forget_audit_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM audit_heads WHERE account_id::text = current_setting('postrider.erasing_account', true);
  RETURN NULL;
END $$;

CREATE TRIGGER audit_log_erased AFTER DELETE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION forget_audit_head();
