-- What a session of a 2025-revision MCP client has changed: its id carries the rest, so a session that changed nothing has no row, and every
-- process can serve each of its requests.
CREATE TABLE mcp_sessions (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  key_id uuid NOT NULL,
  revision integer NOT NULL DEFAULT 1, -- of everything below but the states in `watched` and the time, for processes that have its streams
  watched jsonb NOT NULL DEFAULT '{}', -- by URI: the state that the client was last notified of, and the number of that event
  event integer NOT NULL DEFAULT 0, -- the number of the last event
  stream_id uuid, -- the stream that events are sent on
  replies jsonb NOT NULL DEFAULT '{}', -- by request id: responses of the client that another process waits for
  log_level text,
  seen_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (account_id, id)
);

CREATE INDEX mcp_sessions_key ON mcp_sessions (account_id, key_id, seen_at);

SELECT protect_account_table('mcp_sessions');
