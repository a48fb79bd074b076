-- Signed receipts of decisions about held messages, as compact JWS.
CREATE TABLE approval_receipts (
  account_id uuid NOT NULL,
  approval_id uuid NOT NULL,
  receipt text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, approval_id),
  FOREIGN KEY (account_id, approval_id) REFERENCES approvals (account_id, id) ON DELETE CASCADE
);

SELECT protect_account_table('approval_receipts');

-- The keys that sign them, as sealed JWKs. They belong to the installation, so accounts cannot read them.
CREATE TABLE receipt_keys (
  id uuid PRIMARY KEY,
  sealed bytea NOT NULL, -- of a former key only the public half
  created_at timestamptz NOT NULL,
  retired_at timestamptz
);

-- Only one key signs.
CREATE UNIQUE INDEX receipt_keys_current ON receipt_keys ((retired_at IS NULL)) WHERE retired_at IS NULL;
