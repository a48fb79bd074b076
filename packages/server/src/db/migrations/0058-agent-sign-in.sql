-- Programs that sign in with OAuth. Each grant is a key: it has no usable secret, and its program presents access tokens instead.
ALTER TABLE api_keys
  ADD COLUMN client_id text, -- of the program that signed in; null for a key with a secret
  ADD COLUMN client_name text, -- as the program reported it
  ADD COLUMN sign_in integer NOT NULL DEFAULT 0; -- the number of the program's present sign-in; tokens of former ones are invalid

CREATE INDEX api_keys_clients ON api_keys (account_id, created_by_member) WHERE client_id IS NOT NULL;

ALTER TABLE api_keys ADD CONSTRAINT api_keys_client_check CHECK (client_id IS NULL OR created_by_member IS NOT NULL);

-- Access tokens of such keys.
CREATE TABLE access_tokens (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, key_id, token_hash),
  FOREIGN KEY (account_id, key_id) REFERENCES api_keys (account_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX access_tokens_hash ON access_tokens (token_hash);
CREATE INDEX access_tokens_end ON access_tokens (ends_at);

SELECT protect_account_table('access_tokens');

-- What the authorization server stores besides: registered programs, unfinished sign-ins, authorization codes and refresh tokens. They are
-- looked up before the account is known. Ids of codes and tokens are secrets, so only their hashes are stored.
CREATE TABLE oauth_records (
  kind text NOT NULL,
  id_hash bytea NOT NULL,
  payload jsonb NOT NULL,
  account_id uuid REFERENCES accounts (id) ON DELETE CASCADE, -- this and the key: of codes and refresh tokens
  key_id uuid,
  created_at timestamptz NOT NULL,
  consumed_at timestamptz,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, id_hash)
);

CREATE INDEX oauth_records_key ON oauth_records (account_id, key_id) WHERE account_id IS NOT NULL;
CREATE INDEX oauth_records_expiry ON oauth_records (expires_at);
CREATE INDEX oauth_records_kind ON oauth_records (kind, expires_at);

SELECT protect_account_table('oauth_records');
