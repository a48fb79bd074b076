-- How often device codes were tried, so that all processes of a fleet share one count.
CREATE TABLE code_tries (
  tried_by text PRIMARY KEY, -- `user:` and an id, or `client:` and an address
  tried_at timestamptz[] NOT NULL, -- of the current window, oldest first
  last_at timestamptz NOT NULL
);

CREATE INDEX code_tries_last ON code_tries (last_at);
