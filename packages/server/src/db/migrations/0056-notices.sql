-- Mail to the members of an account about its keys, domains, quota and webhook endpoints. The id is that of the event. The transaction that
-- stores the event adds the row, and workers mail it.
CREATE TABLE notices (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('domain.degraded', 'domain.failed', 'key.expiring', 'quota.threshold', 'webhook.disabled')),
  target_id uuid, -- the key, domain or endpoint; null for a quota
  facts jsonb, -- of a quota; the others are read when the mail is written
  due_at timestamptz NOT NULL, -- while a worker mails it: when another one may take over
  mail_id uuid, -- the mail that it belongs to, by the id of the first of its notices; set when a worker first takes it
  tried_at timestamptz, -- the first attempt
  mailed_at timestamptz, -- afterwards it only prevents repeated mail
  PRIMARY KEY (account_id, id),
  CHECK ((kind = 'quota.threshold') = (target_id IS NULL)),
  CHECK ((target_id IS NULL) = (facts IS NOT NULL))
);

CREATE INDEX notices_due ON notices (due_at) WHERE mailed_at IS NULL;

SELECT protect_account_table('notices');

-- Endpoints had such a mark of their own.
INSERT INTO notices (account_id, id, kind, target_id, due_at)
  SELECT account_id, uuid_v7(now()), 'webhook.disabled', id, notice_due_at FROM webhook_endpoints WHERE notice_due_at IS NOT NULL;
ALTER TABLE webhook_endpoints DROP COLUMN notice_due_at;
