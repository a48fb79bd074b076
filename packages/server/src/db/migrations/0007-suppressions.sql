-- Expired entries of the suppression list are removed by the clock, which must not read the whole list for it.
CREATE INDEX suppressions_expiry ON suppressions (expires_at) WHERE expires_at IS NOT NULL;

-- Who changed what, for ever: rows are only ever added, and each carries the hash of the one before, so that a row that was changed, taken out
-- or put in between shows. One chain an account. There is no foreign key to the account: the record of an account outlives it.
CREATE TABLE audit_log (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  seq bigint NOT NULL, -- from 1, without gaps
  action text NOT NULL,
  actor text NOT NULL, -- the id of a key or a person, or `system`, or `recipient`
  target_id text,
  details jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  hash text NOT NULL, -- SHA-256 in hexadecimal
  previous_hash text NOT NULL, -- 64 zeros before the first
  PRIMARY KEY (account_id, id)
);

-- Two writers can never continue the chain from the same row.
CREATE UNIQUE INDEX audit_log_chain ON audit_log (account_id, seq);

-- What an entry's hash is taken of: its fields one a line, in this order, each as the text Postgres makes of it; times in microseconds, UTC.
-- No field but the last can hold a line break, so the text can be read in one way only.
CREATE FUNCTION audit_hash(previous_hash text, account_id uuid, id uuid, seq bigint, action text, actor text, target_id text,
  created_at timestamptz, details jsonb) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(convert_to(concat_ws(E'\n', previous_hash, account_id, id, seq, action, actor, coalesce(target_id, '-'),
    to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), details), 'UTF8')), 'hex')
$$;

-- Adds entries, given as an array of {account_id, id, action, actor, target_id, details, created_at}, to the chains of their accounts, in the
-- order given. The lock is held to the end of the transaction and taken in one order of accounts, so that chains neither fork nor deadlock.
CREATE FUNCTION append_audit(entries jsonb) RETURNS void LANGUAGE plpgsql AS $$
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
      last_account := entry.account_id;
      PERFORM pg_advisory_xact_lock(hashtextextended('postrider.audit ' || entry.account_id, 0));
      SELECT seq, hash INTO last_seq, last_hash FROM audit_log WHERE account_id = entry.account_id ORDER BY seq DESC LIMIT 1;
    END IF;
    last_hash := coalesce(last_hash, repeat('0', 64));
    last_seq := coalesce(last_seq, 0) + 1;
    INSERT INTO audit_log (account_id, id, seq, action, actor, target_id, details, created_at, previous_hash, hash)
    VALUES (entry.account_id, entry.id, last_seq, entry.action, entry.actor, entry.target_id, entry.details, entry.created_at, last_hash,
      audit_hash(last_hash, entry.account_id, entry.id, last_seq, entry.action, entry.actor, entry.target_id, entry.created_at, entry.details))
    RETURNING hash INTO last_hash;
  END LOOP;
END $$;

-- The only way out is the erasure of a whole account, by a transaction that has said which one in `postrider.erasing_account`.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('postrider.erasing_account', true) = OLD.account_id::text THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is only ever added to' USING ERRCODE = '0A000';
END $$;

CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
