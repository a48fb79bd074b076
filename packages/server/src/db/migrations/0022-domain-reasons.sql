-- Why a domain is where it is, and bounds for what rotations leave behind.

-- A sentence for people: why it failed, or is degraded. Null where nothing is amiss, and while its records are waited for.
ALTER TABLE sending_domains ADD COLUMN status_reason text;

UPDATE sending_domains d SET status_reason = CASE
  WHEN d.status = 'degraded' THEN 'A required record is gone.'
  WHEN EXISTS (
    SELECT FROM sending_domains h WHERE h.name = d.name AND h.account_id <> d.account_id AND h.status IN ('verified', 'degraded'))
    THEN 'Another account of this server holds the name.'
  ELSE 'Its required records were not found in time.' END
WHERE d.status IN ('failed', 'degraded');

-- Of which age a selector is, and since when no key has it: one that nobody has had for long may be taken again.
ALTER TABLE dkim_selectors
  ADD COLUMN made_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN unused_since timestamptz;

-- When the RSA keys of the last hour were made, so that their number is exact over all processes.
CREATE TABLE dkim_keys_made (
  account_id uuid PRIMARY KEY,
  made_at timestamptz[] NOT NULL
);
