-- The request log, and the heartbeats by which the workers of dead processes are recognised.

CREATE TABLE request_log (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  status smallint NOT NULL,
  code text,
  duration_ms integer NOT NULL,
  key_id uuid,
  email_id uuid,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, id)
);

CREATE INDEX request_log_request_id ON request_log (account_id, request_id);
-- The log grows at its end only: a block range index finds what retention removes and costs an insert next to nothing.
CREATE INDEX request_log_age ON request_log USING brin (created_at);

CREATE TABLE worker_heartbeats (
  worker_id text PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
