-- Messages, their bodies, recipients and events are partitioned by month on the message's UUIDv7: a look-up by id touches one
-- partition, and retention drops a partition. Events and recipients go by the message's id, so that a trail lies in one place however
-- late its events come. There are no foreign keys between them: all are written by the same statement, and checking costs a third more CPU.

CREATE TABLE messages (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  key_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  from_given text NOT NULL,
  from_domain text NOT NULL,
  to_line text NOT NULL,
  reply_to text,
  subject text NOT NULL,
  status text NOT NULL,
  channel text NOT NULL,
  source text NOT NULL,
  agent_name text,
  tags text[] NOT NULL,
  metadata jsonb NOT NULL,
  charged integer NOT NULL, -- quota units taken at acceptance
  event_count integer NOT NULL,
  last_error text,
  PRIMARY KEY (account_id, id)
) PARTITION BY RANGE (id);

CREATE INDEX messages_status ON messages (account_id, status, id);

CREATE TABLE message_bodies (
  account_id uuid NOT NULL,
  message_id uuid NOT NULL,
  html text,
  text text,
  headers jsonb NOT NULL,
  PRIMARY KEY (account_id, message_id)
) PARTITION BY RANGE (message_id);

CREATE TABLE message_recipients (
  account_id uuid NOT NULL,
  message_id uuid NOT NULL,
  ordinal smallint NOT NULL,
  kind text NOT NULL,
  name text,
  email text NOT NULL,
  status text NOT NULL,
  PRIMARY KEY (account_id, message_id, ordinal)
) PARTITION BY RANGE (message_id);

CREATE TABLE message_events (
  account_id uuid NOT NULL,
  message_id uuid NOT NULL,
  seq integer NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  recipient text,
  classification text,
  detail text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, message_id, seq)
) PARTITION BY RANGE (message_id);

-- Bodies of a few kilobytes are compressed on every insert; lz4 costs a tenth of pglz. Not every build of Postgres has it.
DO $$
BEGIN
  IF (SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression') THEN
    ALTER TABLE message_bodies ALTER COLUMN html SET COMPRESSION lz4, ALTER COLUMN text SET COMPRESSION lz4;
  END IF;
END $$;

-- The net for ids of months that have no partition yet; normally empty.
CREATE TABLE messages_other PARTITION OF messages DEFAULT;
CREATE TABLE message_bodies_other PARTITION OF message_bodies DEFAULT;
CREATE TABLE message_recipients_other PARTITION OF message_recipients DEFAULT;
CREATE TABLE message_events_other PARTITION OF message_events DEFAULT;

CREATE FUNCTION uuid_v7_lower_bound(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

-- Makes the partitions of the month `at` lies in. Safe to call again, and by several processes at once.
CREATE FUNCTION ensure_message_partitions(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
  suffix text := to_char(month, 'YYYY_MM');
  lower_bound uuid := uuid_v7_lower_bound(month AT TIME ZONE 'UTC');
  upper_bound uuid := uuid_v7_lower_bound((month + interval '1 month') AT TIME ZONE 'UTC');
  parent text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('postrider.partitions'));
  FOREACH parent IN ARRAY ARRAY['messages', 'message_bodies', 'message_recipients', 'message_events'] LOOP
    IF to_regclass(parent || '_' || suffix) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        parent || '_' || suffix, parent, lower_bound, upper_bound);
      -- Bodies of usual size stay in the row as they are: compressing them cost as much as all the rest of their insert.
      IF parent = 'message_bodies' THEN
        EXECUTE format('ALTER TABLE %I SET (toast_tuple_target = 4080)', parent || '_' || suffix);
      END IF;
    END IF;
  END LOOP;
END $$;

-- What waits to be handed over: one row a message and route. `next_at` is when it is due; a claim moves it to the end of the lease, so
-- a lease that is not renewed makes the row due again by itself. Rows are deleted when their last recipient is settled.
CREATE TABLE deliveries (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  message_id uuid NOT NULL,
  route text NOT NULL,
  ordinals smallint[] NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  lease_id uuid,
  PRIMARY KEY (account_id, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE INDEX deliveries_due ON deliveries (account_id, next_at);

CREATE TABLE quota_usage (
  account_id uuid NOT NULL,
  month date NOT NULL,
  used integer NOT NULL,
  PRIMARY KEY (account_id, month)
) WITH (fillfactor = 50);

CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  message_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys USING brin (created_at);

-- Ends the accepting statement, so that nothing of it stays, when what it read a moment ago is no longer true.
CREATE FUNCTION refuse_stale_acceptance(stale boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF stale THEN
    RAISE EXCEPTION 'acceptance facts are stale' USING ERRCODE = 'PR001';
  END IF;
  RETURN true;
END $$;

-- What the capture transport caught, for people and tests to read.
CREATE TABLE captured_messages (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  mail_from text NOT NULL,
  recipients text[] NOT NULL,
  subject text NOT NULL,
  raw bytea NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, id)
);

CREATE INDEX captured_messages_newest ON captured_messages (id);
