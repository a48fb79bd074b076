-- What a device sign-in is allowed, who asked for it, and who paused an account or a key.

-- A code lives for fifteen minutes. Those that were made before did not record who asked, so their devices begin again.
DELETE FROM device_codes;

ALTER TABLE device_codes
  ADD COLUMN client text NOT NULL, -- the name that the program gave itself: a claim
  ADD COLUMN address text NOT NULL, -- of the client that asked
  ADD COLUMN may_decide boolean NOT NULL DEFAULT false; -- whether the user ticked `approvals`

-- A session of a browser may do what the role allows. A device session may decide held sends only where the user allowed it.
ALTER TABLE sessions
  ADD COLUMN may_decide boolean NOT NULL DEFAULT false,
  ADD COLUMN client text; -- of a device session: the name that the program gave itself

UPDATE sessions SET may_decide = true WHERE kind = 'cookie';

-- The id of the member or key that paused it. Null while nothing is paused, and where no one knows any more: that counts as a user.
ALTER TABLE accounts ADD COLUMN paused_by uuid;
ALTER TABLE api_keys ADD COLUMN paused_by uuid;

UPDATE accounts a SET paused_by = (
  SELECT g.actor::uuid FROM audit_log g WHERE g.account_id = a.id AND g.action = 'account.paused'
    AND g.actor ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
  ORDER BY g.seq DESC LIMIT 1)
WHERE a.paused_at IS NOT NULL;

UPDATE api_keys k SET paused_by = (
  SELECT g.actor::uuid FROM audit_log g WHERE g.account_id = k.account_id AND g.action = 'key.paused' AND g.target_id = k.id::text
    AND g.actor ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
  ORDER BY g.seq DESC LIMIT 1)
WHERE k.paused_at IS NOT NULL;
