-- People: who signs in, how, and what seats they have. A person (`users`) belongs to no account; a seat (`members`) is theirs in one account.

CREATE TABLE users (
  id uuid PRIMARY KEY,
  email text NOT NULL, -- proven to be theirs; compared without case
  name text,
  created_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX users_email ON users (lower(email));

-- What an OAuth provider knows a person as. The pair is the identity; an address that a provider names is none (OpenID Connect Core, section 5.7).
CREATE TABLE identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (issuer, subject)
);

CREATE INDEX identities_user ON identities (user_id);

ALTER TABLE members
  ADD COLUMN user_id uuid REFERENCES users (id) ON DELETE SET NULL, -- null until they sign in for the first time
  ADD COLUMN invited_by text, -- the id of the member or key that invited them; null where nobody did
  ADD COLUMN invited_at timestamptz,
  ALTER COLUMN joined_at DROP NOT NULL; -- null while they are only invited

CREATE INDEX members_user ON members (user_id);
CREATE INDEX members_address ON members (lower(email));

-- What a person does is done under the key of their seat, whose id is that of the member: rates, messages and the audit log know people as they
-- know keys. Nobody has the secret of such a key, since it is the hash of nothing anybody knows, and it is not listed among the keys. It
-- outlives the seat, because messages refer to it, and is revoked then.
ALTER TABLE api_keys ADD COLUMN is_seat boolean NOT NULL DEFAULT false;

CREATE FUNCTION add_seat_key(account uuid, member uuid, address text, at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO api_keys (account_id, id, name, mode, secret_hash, last4, scopes, created_by_member, created_at, is_seat)
  VALUES (account, member, address, 'live', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), '----', '{}',
    member, at, true)
  ON CONFLICT (account_id, id) DO NOTHING
$$;

SELECT add_seat_key(account_id, id, email, coalesce(joined_at, now())) FROM members WHERE status = 'active';

-- Only the hash of a session's token is stored. `seen_at` moves at most once a minute.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id uuid NOT NULL, -- the account it is in; a person of several may change it
  member_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('cookie', 'device')),
  token_hash bytea NOT NULL,
  created_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  -- Whoever loses the seat loses the session in the same moment.
  FOREIGN KEY (account_id, member_id) REFERENCES members (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_seat ON sessions (account_id, member_id);

-- Links in mail. One is spent by deleting its row, so of many who try one succeeds.
CREATE TABLE magic_links (
  token_hash bytea PRIMARY KEY,
  browser_hash bytea NOT NULL, -- of the cookie that the browser got which asked
  email text NOT NULL,
  next text, -- the path to go on to
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX magic_links_email ON magic_links (lower(email), created_at);

-- Sign-ins of devices (RFC 8628). The row goes when its token is handed out, or the person says no.
CREATE TABLE device_codes (
  code_hash bytea PRIMARY KEY,
  user_code text NOT NULL,
  interval_seconds integer NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  polled_at timestamptz,
  user_id uuid REFERENCES users (id) ON DELETE CASCADE, -- who confirmed it; null until then
  account_id uuid,
  member_id uuid,
  FOREIGN KEY (account_id, member_id) REFERENCES members (account_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX device_codes_user_code ON device_codes (user_code);
