-- How many people must approve a held send, and who: for a whole account, or for the sends of a key.
ALTER TABLE accounts ADD COLUMN approvals_needed integer NOT NULL DEFAULT 1 CHECK (approvals_needed BETWEEN 1 AND 5);
ALTER TABLE api_keys ADD COLUMN approvals_needed integer NOT NULL DEFAULT 1 CHECK (approvals_needed BETWEEN 1 AND 5),
  ADD COLUMN approver_ids uuid[]; -- members; null: every member whose role decides

-- The content as it was held, once an approver has edited it and others still have to approve it; null before that.
ALTER TABLE approvals ADD COLUMN held_content_hash text;

-- An approval by one of several people. It counts for its revision only, and only while its member may decide.
CREATE TABLE approval_votes (
  account_id uuid NOT NULL,
  approval_id uuid NOT NULL,
  member_id uuid NOT NULL,
  revision integer NOT NULL,
  decider jsonb NOT NULL, -- as the receipt will name the member, with the signature of the passkey
  remember boolean NOT NULL,
  note text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, approval_id, member_id),
  FOREIGN KEY (account_id, approval_id) REFERENCES approvals (account_id, id) ON DELETE CASCADE
);

SELECT protect_account_table('approval_votes');
