-- Sending domains with their whole life: keys that rotate, look-ups of their records, removal and restoration.

-- The keys of a domain. One of an algorithm signs; a new one waits until its record is found; one that signs no more stays listed for a while.
CREATE TABLE dkim_keys (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  domain_id uuid NOT NULL,
  algorithm text NOT NULL CHECK (algorithm IN ('rsa', 'ed25519')),
  selector text NOT NULL,
  private_key bytea, -- AES-256-GCM envelope; null once it is retired, since what signs no more need not be kept
  public_key text NOT NULL, -- the p= tag of its record
  state text NOT NULL CHECK (state IN ('waiting', 'signing', 'retired')),
  created_at timestamptz NOT NULL,
  retired_at timestamptz,
  PRIMARY KEY (account_id, id),
  CHECK ((state = 'retired') = (private_key IS NULL))
);

-- A selector names one key for ever: verifiers may still hold the record of the former one.
CREATE UNIQUE INDEX dkim_keys_selector ON dkim_keys (account_id, domain_id, selector);
CREATE UNIQUE INDEX dkim_keys_in_use ON dkim_keys (account_id, domain_id, algorithm, state) WHERE state <> 'retired';

INSERT INTO dkim_keys (account_id, id, domain_id, algorithm, selector, private_key, public_key, state, created_at)
SELECT account_id, id, id, 'rsa', dkim_selector, dkim_private_key, dkim_public_key, 'signing', created_at FROM sending_domains;

ALTER TABLE sending_domains
  DROP COLUMN dkim_selector,
  DROP COLUMN dkim_private_key,
  DROP COLUMN dkim_public_key,
  ADD COLUMN return_path_host text,
  ADD COLUMN checks jsonb NOT NULL DEFAULT '{}', -- what the DNS said last, by record
  ADD COLUMN status_since timestamptz, -- the time limits of a status count from here
  ADD COLUMN last_checked_at timestamptz,
  ADD COLUMN next_check_at timestamptz, -- null: nothing is due by itself
  ADD COLUMN claimed_at timestamptz, -- set while the name is held by proof of a challenge, also before it is verified
  ADD COLUMN removed_at timestamptz;

-- Mail from the sandbox domain returns to the domain itself.
UPDATE sending_domains SET status_since = created_at,
  return_path_host = CASE WHEN account_id = '00000000-0000-0000-0000-000000000000' THEN name ELSE 'bounce.' || name END;

ALTER TABLE sending_domains ALTER COLUMN return_path_host SET NOT NULL, ALTER COLUMN status_since SET NOT NULL;

-- Removed ones are history: the same name can be there again, and more than once.
DROP INDEX sending_domains_name;
CREATE UNIQUE INDEX sending_domains_name ON sending_domains (account_id, name) WHERE status <> 'removed';
CREATE INDEX sending_domains_due ON sending_domains (next_check_at) WHERE next_check_at IS NOT NULL;
-- Whether another account holds a name.
CREATE INDEX sending_domains_holders ON sending_domains (name) WHERE status <> 'removed';
