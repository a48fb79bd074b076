-- Events for an account's own systems. An event is stored once, as it will be delivered; what waits to be delivered is a row for each endpoint
-- and event; what was tried is a row for each attempt.

CREATE TABLE webhook_endpoints (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  url text NOT NULL,
  description text,
  events text[] NOT NULL, -- empty: all
  status text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
  disabled_reason text CHECK (disabled_reason IN ('manual', 'gone', 'failing')),
  secret bytea NOT NULL, -- AES-256-GCM envelope
  previous_secret bytea, -- the same; signs too until previous_secret_ends_at
  previous_secret_ends_at timestamptz,
  failing_since timestamptz, -- the first failure since the last success
  failures integer NOT NULL DEFAULT 0, -- since the last success
  notice_due_at timestamptz, -- set while the team has not been told by mail that it was disabled
  revision integer NOT NULL DEFAULT 1, -- counts changes, so that who keeps an endpoint in memory sees that it is an old one
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, id),
  CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL))
);

-- Deliveries name an endpoint by its id alone.
CREATE UNIQUE INDEX webhook_endpoints_id ON webhook_endpoints (id);
CREATE INDEX webhook_endpoints_notices ON webhook_endpoints (notice_due_at) WHERE notice_due_at IS NOT NULL;

-- The accounts whose events are stored: those with endpoints, and for a while those that somebody listens to. Without a row here nothing of
-- all this costs an account anything.
CREATE TABLE event_takers (
  account_id uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  has_endpoints boolean NOT NULL DEFAULT false,
  streaming_until timestamptz NOT NULL DEFAULT '-infinity' -- by the database's clock
);

-- `body` is what is signed and sent, octet by octet, at every attempt and every replay.
CREATE TABLE webhook_events (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  endpoint_id uuid, -- set: for this endpoint alone, whatever its filter
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, id)
) PARTITION BY RANGE (id);

CREATE TABLE webhook_events_other PARTITION OF webhook_events DEFAULT;

-- What waits. A lease is no part of the index, so taking one rewrites no index entry; a lease that has ended counts as none.
CREATE TABLE webhook_deliveries (
  account_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  id uuid NOT NULL,
  event_type text NOT NULL,
  attempt integer NOT NULL, -- the number of the attempt that waits, over all replays
  step smallint NOT NULL, -- how many attempts of this round have failed
  next_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  lease_id uuid,
  lease_until timestamptz,
  PRIMARY KEY (account_id, endpoint_id, event_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (account_id, endpoint_id, next_at);

CREATE TABLE webhook_attempts (
  account_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  attempt integer NOT NULL,
  succeeded boolean NOT NULL,
  status_code integer,
  error text,
  duration_ms integer NOT NULL,
  response_body text,
  created_at timestamptz NOT NULL, -- when it began
  PRIMARY KEY (account_id, endpoint_id, id)
) PARTITION BY RANGE (id);

CREATE TABLE webhook_attempts_other PARTITION OF webhook_attempts DEFAULT;
CREATE INDEX webhook_attempts_event ON webhook_attempts (account_id, endpoint_id, event_id);

-- Events of messages that are to become webhook events. Filled and emptied all the time.
CREATE TABLE event_backlog (
  account_id uuid NOT NULL,
  message_id uuid NOT NULL,
  seq integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Whoever writes to a trail fills the backlog with it, by the same statement, so that no event is lost by a crash, and no part of the product
-- has to remember it.
CREATE FUNCTION note_message_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_backlog (account_id, message_id, seq)
  SELECT e.account_id, e.message_id, e.seq FROM new_events e
  WHERE e.account_id IN (SELECT t.account_id FROM event_takers t WHERE t.has_endpoints OR t.streaming_until > now());
  RETURN NULL;
END $$;

CREATE TRIGGER message_events_noted AFTER INSERT ON message_events
REFERENCING NEW TABLE AS new_events FOR EACH STATEMENT EXECUTE FUNCTION note_message_events();

-- A UUIDv7 of a moment.
CREATE FUNCTION uuid_v7(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid
$$;

-- The parts of a month's quota that an account was told to have used.
CREATE TABLE quota_notices (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  month date NOT NULL,
  threshold integer NOT NULL, -- percent
  told_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, month, threshold)
);
