-- The trail of a canceled message says who canceled it, as that of a rescheduled one says the new time.
DROP FUNCTION cancel_queued_message(uuid, uuid, uuid, uuid, timestamptz);

CREATE FUNCTION cancel_queued_message(account uuid, message uuid, ids_before uuid, event_id uuid, at timestamptz, told text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  obstacle text;
  ids uuid[];
  units integer;
  accepted_at timestamptz;
  seq integer;
BEGIN
  SELECT l.obstacle, l.delivery_ids INTO obstacle, ids FROM lock_queued_message(account, message, ids_before) AS l;
  IF obstacle IS NOT NULL THEN
    RETURN obstacle;
  END IF;
  DELETE FROM deliveries d WHERE d.account_id = account AND d.id = ANY (ids);
  DELETE FROM message_bodies b WHERE b.account_id = account AND b.message_id = message;
  DELETE FROM message_attachments a WHERE a.account_id = account AND a.message_id = message;
  DELETE FROM message_tracking t WHERE t.account_id = account AND t.message_id = message;
  UPDATE message_recipients r SET status = 'canceled' WHERE r.account_id = account AND r.message_id = message;
  SELECT m.charged, m.created_at INTO units, accepted_at FROM messages m WHERE m.account_id = account AND m.id = message;
  UPDATE messages m SET status = 'canceled', charged = 0, event_count = m.event_count + 1
    WHERE m.account_id = account AND m.id = message RETURNING m.event_count INTO seq;
  INSERT INTO message_events (account_id, message_id, seq, id, type, detail, created_at)
    VALUES (account, message, seq, event_id, 'canceled', told, at);
  -- Last, because every send of the account waits for this row.
  IF units > 0 THEN
    UPDATE quota_usage u SET used = greatest(0, u.used - units)
      WHERE u.account_id = account AND u.month = date_trunc('month', accepted_at AT TIME ZONE 'UTC')::date;
  END IF;
  RETURN NULL;
END $$;
