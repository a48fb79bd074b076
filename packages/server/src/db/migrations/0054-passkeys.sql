-- Passkeys (WebAuthn), with which users sign in. They belong to the user, and so to no account.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL, -- a COSE key
  counter bigint NOT NULL, -- the authenticator's count of signatures; always 0 for authenticators that do not count
  transports text[] NOT NULL,
  name text NOT NULL,
  backed_up boolean NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential_id);
CREATE INDEX passkeys_user ON passkeys (user_id);

-- Challenges are in sealed cookies until a browser returns them. A row here prevents their second use until they expire.
CREATE TABLE spent_challenges (
  challenge_hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

CREATE INDEX spent_challenges_expiry ON spent_challenges (expires_at);
