-- The same functions with plain comments, and an error message in plain words.

CREATE OR REPLACE FUNCTION lock_queued_message(account uuid, message uuid, ids_before uuid, OUT obstacle text, OUT delivery_ids uuid[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  leased boolean;
  waiting smallint[];
BEGIN
  -- Most late requests are refused here without a lock.
  SELECT m.status INTO obstacle FROM messages m WHERE m.account_id = account AND m.id = message;
  obstacle := coalesce(obstacle, 'missing');
  IF obstacle <> 'queued' THEN
    RETURN;
  END IF;
  -- Deliveries have no index on their message, which would cost every send. Their ids follow the message's own id. If some recipients have none
  -- there, deliveries were created later, and the second round searches all younger ones of the account.
  FOR look IN 1..2 LOOP
    SELECT array_agg(l.id), bool_or(l.lease_id IS NOT NULL) INTO delivery_ids, leased FROM (
      SELECT d.id, d.lease_id FROM deliveries d
      WHERE d.account_id = account AND d.id > message AND d.message_id = message AND (look = 2 OR d.id < ids_before)
      ORDER BY d.id FOR UPDATE) AS l;
    IF leased THEN
      -- A worker has leased it, and waits for these rows.
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
  -- After the deliveries: outcomes lock rows in the same order.
  SELECT m.status INTO obstacle FROM messages m WHERE m.account_id = account AND m.id = message FOR UPDATE;
  IF obstacle IS DISTINCT FROM 'queued' THEN
    obstacle := coalesce(obstacle, 'missing');
  ELSIF EXISTS (SELECT FROM message_recipients r WHERE r.account_id = account AND r.message_id = message
      AND (r.status <> 'queued' OR r.ordinal <> ALL (coalesce(waiting, '{}')))) THEN
    obstacle := 'sending';
  ELSE
    obstacle := NULL;
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION refuse_approval_event_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('postrider.erasing_account', true) = OLD.account_id::text THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the event log of holds is append-only: rows are only ever added to it' USING ERRCODE = '0A000';
END $function$;

CREATE OR REPLACE FUNCTION take_allowance(asks json, lease_ms integer)
 RETURNS TABLE(o integer, granted integer, spare integer, remaining integer, full_ms double precision, next_ms double precision, wait_ms double precision)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  ask record;
  bucket key_rates;
  at timestamptz;
  in_use double precision;
  free integer;
BEGIN
  FOR ask IN SELECT * FROM json_to_recordset(asks) AS j (o integer, a uuid, k uuid, r integer, n integer, w integer, b integer) ORDER BY j.a, j.k LOOP
    SELECT * INTO bucket FROM key_rates x WHERE x.account_id = ask.a AND x.key_id = ask.k FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO key_rates (account_id, key_id, used, as_of, lent_until) VALUES (ask.a, ask.k, 0, clock_timestamp(), '-infinity')
        ON CONFLICT (account_id, key_id) DO NOTHING;
      SELECT * INTO bucket FROM key_rates x WHERE x.account_id = ask.a AND x.key_id = ask.k FOR UPDATE;
    END IF;
    -- Read after the lock is held, so that times increase from one holder to the next.
    at := clock_timestamp();
    in_use := greatest(0, bucket.used - greatest(0, extract(epoch FROM at - bucket.as_of)) * ask.r / 60.0 - ask.b);
    -- Rounding errors are less than a millionth of a request.
    free := greatest(0, floor(ask.r - in_use + 1e-6))::integer;
    o := ask.o;
    granted := least(ask.n, free);
    spare := CASE WHEN granted = ask.n THEN least(ask.w, (free - granted) / 16) ELSE 0 END;
    in_use := in_use + granted + spare;
    remaining := free - granted - spare;
    full_ms := in_use * 60000.0 / ask.r;
    next_ms := greatest(0, (in_use + 1 - ask.r) * 60000.0 / ask.r);
    wait_ms := CASE WHEN granted < ask.n AND bucket.lent_until > at THEN extract(epoch FROM bucket.lent_until - at) * 1000.0 ELSE 0 END;
    UPDATE key_rates x SET used = in_use, as_of = at,
      lent_until = CASE WHEN spare > 0 THEN greatest(bucket.lent_until, at + lease_ms * interval '1 millisecond') ELSE bucket.lent_until END
      WHERE x.account_id = ask.a AND x.key_id = ask.k;
    RETURN NEXT;
  END LOOP;
END $function$;
