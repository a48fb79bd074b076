-- When an account's approvers were mailed of late: a program that sends and takes back in a loop is not to fill their mailboxes. Each mail goes to
-- all approvers of the account, so what is counted for it is counted for each of them. Only the last few minutes are kept.
CREATE TABLE approval_mails (
  account_id uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  mailed_at timestamptz[] NOT NULL
);

SELECT protect_account_table('approval_mails');
