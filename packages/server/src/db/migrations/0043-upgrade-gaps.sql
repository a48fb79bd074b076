-- Migration 0034 gave the idempotency keys of resends to the key that had sent the message first, which could then replay another caller's resend. They
-- belong to the caller, whom the request log knows for most; the others belong to no one, so that a repeated call is a new one.
UPDATE idempotency_keys k SET key_id = coalesce(
  (SELECT r.key_id FROM request_log r
    WHERE r.account_id = k.account_id AND r.email_id = k.message_id AND r.method = 'POST' AND r.key_id IS NOT NULL
      AND r.id >= uuid_v7_lower_bound(k.created_at - interval '10 minutes') AND r.id < uuid_v7_lower_bound(k.created_at + interval '10 minutes')
      AND NOT EXISTS (SELECT FROM idempotency_keys o WHERE o.account_id = k.account_id AND o.key_id = r.key_id AND o.key = k.key
        AND o.message_id <> k.message_id)
    ORDER BY r.id LIMIT 1),
  '00000000-0000-0000-0000-000000000000')
FROM messages m
WHERE m.account_id = k.account_id AND m.id = k.message_id AND m.resend_of IS NOT NULL AND m.asked_by IS NULL
  AND k.created_at < (SELECT applied_at FROM schema_migrations WHERE name = '0034-caller-facts.sql');

-- Migration 0038 left the installation's mail that waited for delivery in clear text. What was delivered since is removed; what still waits is sealed by
-- the next start, which has the secret for it.
DELETE FROM message_bodies b USING messages m
  WHERE m.key_id = '00000000-0000-7000-8000-000000000002' AND m.id >= uuid_v7_lower_bound(now() - interval '31 days')
    AND b.account_id = m.account_id AND b.message_id = m.id AND NOT starts_with(coalesce(b.text, ''), 'postrider-sealed:1:')
    AND NOT EXISTS (SELECT FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id);
INSERT INTO installation (name, value)
  SELECT 'waiting_mail', 'unsealed' WHERE EXISTS (SELECT FROM deliveries d JOIN messages m ON m.account_id = d.account_id AND m.id = d.message_id
    WHERE m.key_id = '00000000-0000-7000-8000-000000000002')
  ON CONFLICT (name) DO NOTHING;

-- Captured copies of such mail under an account of a customer, which was where it was sent from.
DELETE FROM captured_messages c USING messages m
  WHERE m.key_id = '00000000-0000-7000-8000-000000000002' AND m.account_id <> '00000000-0000-7000-8000-000000000001'
    AND m.id >= uuid_v7_lower_bound(now() - interval '31 days') AND c.account_id = m.account_id AND c.subject = m.subject;
