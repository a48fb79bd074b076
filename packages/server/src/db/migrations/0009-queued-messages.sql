-- Changing a message while it is queued. Each change is one statement for its caller: locks that were held while a process is thinking would
-- hold up the workers, who want the deliveries to write down outcomes, and every send of the account, which wants the row of its quota.

-- Locks a message with its deliveries, so that no worker claims it before the transaction ends, and answers their ids; or answers as
-- `obstacle` why it cannot be changed: where it stands, or `missing`. It can be changed while it is queued as a whole: for every recipient,
-- each in a delivery that nobody has claimed. A claim comes before the message is marked `sending`, so in between it is the claim that counts.
-- Every statement in here sees what was committed before it began, so what is read behind a lock is what was true when it was got.
CREATE FUNCTION lock_queued_message(account uuid, message uuid, ids_before uuid, OUT obstacle text, OUT delivery_ids uuid[])
LANGUAGE plpgsql AS $$
DECLARE
  leased boolean;
  waiting smallint[];
BEGIN
  -- Most that come too late are told so without a lock.
  SELECT m.status INTO obstacle FROM messages m WHERE m.account_id = account AND m.id = message;
  obstacle := coalesce(obstacle, 'missing');
  IF obstacle <> 'queued' THEN
    RETURN;
  END IF;
  -- Nothing indexes deliveries by their message, since that would cost every send: their ids are made right behind the message's own. Where
  -- those that lie there are not the message's all, somebody made others later, and all of the account's that are younger are looked at.
  FOR look IN 1..2 LOOP
    SELECT array_agg(l.id), bool_or(l.lease_id IS NOT NULL) INTO delivery_ids, leased FROM (
      SELECT d.id, d.lease_id FROM deliveries d
      WHERE d.account_id = account AND d.id > message AND d.message_id = message AND (look = 2 OR d.id < ids_before)
      ORDER BY d.id FOR UPDATE) AS l;
    IF leased THEN
      -- A worker has it, and wants these rows back.
      obstacle := 'sending';
      RETURN;
    END IF;
    SELECT array_agg(o) INTO waiting FROM deliveries d, unnest(d.ordinals) AS o WHERE d.account_id = account AND d.id = ANY (delivery_ids);
    EXIT WHEN NOT EXISTS (SELECT FROM message_recipients r
      WHERE r.account_id = account AND r.message_id = message AND r.ordinal <> ALL (coalesce(waiting, '{}')));
    SELECT m.status INTO obstacle FROM messages m WHERE m.account_id = account AND m.id = message;
    IF obstacle IS DISTINCT FROM 'queued' THEN
      obstacle := coalesce(obstacle, 'missing');
      RETURN;
    END IF;
    obstacle := 'sending';
  END LOOP;
  -- Behind the deliveries, in the order in which outcomes are written.
  SELECT m.status INTO obstacle FROM messages m WHERE m.account_id = account AND m.id = message FOR UPDATE;
  IF obstacle IS DISTINCT FROM 'queued' THEN
    obstacle := coalesce(obstacle, 'missing');
  ELSIF EXISTS (SELECT FROM message_recipients r WHERE r.account_id = account AND r.message_id = message
      AND (r.status <> 'queued' OR r.ordinal <> ALL (coalesce(waiting, '{}')))) THEN
    obstacle := 'sending';
  ELSE
    obstacle := NULL;
  END IF;
END $$;

-- Takes a queued message out of the outbox with all that it said, and gives its quota back to the month it was taken from. Null where it is
-- done; else the obstacle.
CREATE FUNCTION cancel_queued_message(account uuid, message uuid, ids_before uuid, event_id uuid, at timestamptz) RETURNS text
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
  INSERT INTO message_events (account_id, message_id, seq, id, type, created_at) VALUES (account, message, seq, event_id, 'canceled', at);
  -- Last, because every send of the account waits for this row.
  IF units > 0 THEN
    UPDATE quota_usage u SET used = greatest(0, u.used - units)
      WHERE u.account_id = account AND u.month = date_trunc('month', accepted_at AT TIME ZONE 'UTC')::date;
  END IF;
  RETURN NULL;
END $$;

-- Moves the time at which a queued message is due, and with it the end of its retries. Null where it is done; else the obstacle.
CREATE FUNCTION reschedule_queued_message(account uuid, message uuid, ids_before uuid, event_id uuid, at timestamptz, due_at timestamptz,
  retries_end_at timestamptz, told text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  obstacle text;
  ids uuid[];
  seq integer;
BEGIN
  SELECT l.obstacle, l.delivery_ids INTO obstacle, ids FROM lock_queued_message(account, message, ids_before) AS l;
  IF obstacle IS NOT NULL THEN
    RETURN obstacle;
  END IF;
  UPDATE deliveries d SET next_at = due_at, expires_at = retries_end_at WHERE d.account_id = account AND d.id = ANY (ids);
  UPDATE messages m SET scheduled_at = due_at, event_count = m.event_count + 1
    WHERE m.account_id = account AND m.id = message RETURNING m.event_count INTO seq;
  INSERT INTO message_events (account_id, message_id, seq, id, type, detail, created_at)
    VALUES (account, message, seq, event_id, 'rescheduled', told, at);
  RETURN NULL;
END $$;
