-- Accounts, people, keys and sending domains. Every key begins with the account, so that the tables can be distributed by it.

CREATE TABLE installation (
  name text PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  plan text NOT NULL DEFAULT 'self_hosted',
  monthly_quota integer CHECK (monthly_quota >= 0), -- null: the installation's setting
  suspended_at timestamptz,
  created_at timestamptz NOT NULL
);

CREATE TABLE members (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  email text NOT NULL,
  name text,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'approver', 'viewer')),
  status text NOT NULL CHECK (status IN ('active', 'invited')),
  joined_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX members_email ON members (account_id, lower(email));

-- Only the hash of a key is stored. It is looked up before the account is known, hence the unique index on the hash alone.
CREATE TABLE api_keys (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  secret_hash bytea NOT NULL,
  last4 text NOT NULL,
  scopes text[] NOT NULL,
  recipient_allowlist text[],
  persona_agent_name text,
  persona_source text,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX api_keys_secret_hash ON api_keys (secret_hash);

-- The sandbox domain belongs to the installation itself, under the nil account.
CREATE TABLE sending_domains (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'verified', 'failed', 'degraded', 'removed')),
  dkim_selector text NOT NULL,
  dkim_private_key bytea NOT NULL, -- AES-256-GCM envelope
  dkim_public_key text NOT NULL, -- base64 of the SubjectPublicKeyInfo, as the DNS record carries it
  created_at timestamptz NOT NULL,
  verified_at timestamptz,
  PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX sending_domains_name ON sending_domains (account_id, name);

CREATE TABLE suppressions (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  email text NOT NULL, -- folded to lower case
  reason text NOT NULL CHECK (reason IN ('hard_bounce', 'complaint', 'unsubscribe', 'manual')),
  email_id uuid,
  note text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX suppressions_email ON suppressions (account_id, email);
