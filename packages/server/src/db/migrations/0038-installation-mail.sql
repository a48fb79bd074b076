-- The installation's own mail is logged under its own account alone, and its body is stored sealed. This removes what earlier releases stored in
-- clear text. Links are valid for 30 days at most (the longest wait for an approval), so older bodies carry none that still works.
DELETE FROM message_bodies b USING messages m
  WHERE m.key_id = '00000000-0000-7000-8000-000000000002' AND m.id >= uuid_v7_lower_bound(now() - interval '31 days')
    AND b.account_id = m.account_id AND b.message_id = m.id
    AND NOT EXISTS (SELECT FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id);
DELETE FROM captured_messages WHERE account_id = '00000000-0000-7000-8000-000000000001';

-- No suppression list applies to that mail: one bounce, real or forged, must not keep a person from signing in.
DELETE FROM suppressions WHERE account_id = '00000000-0000-7000-8000-000000000001';

-- Since when what the key sends may be held; null where it is not held, or was already held before this column existed. What a held key sent
-- makes nobody a known contact unless a person approved it.
ALTER TABLE api_keys ADD COLUMN held_since timestamptz;
