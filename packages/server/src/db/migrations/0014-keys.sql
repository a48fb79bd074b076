-- Keys that are managed over the API, and what restricts them.
ALTER TABLE api_keys
  ADD COLUMN rate_limit integer NOT NULL DEFAULT 600 CHECK (rate_limit BETWEEN 1 AND 1000000), -- requests a minute
  ADD COLUMN ip_allowlist text[], -- CIDR, as networks; null: everywhere
  ADD COLUMN approval_mode text NOT NULL DEFAULT 'off' CHECK (approval_mode IN ('off', 'always', 'policy')),
  ADD COLUMN hold_when jsonb,
  ADD COLUMN lock_persona boolean NOT NULL DEFAULT false,
  ADD COLUMN hourly_sends integer CHECK (hourly_sends > 0),
  ADD COLUMN daily_sends integer CHECK (daily_sends > 0),
  ADD COLUMN paused_at timestamptz,
  ADD COLUMN expiry_told_at timestamptz, -- when it was announced that the key will end
  ADD COLUMN created_by_key uuid, -- null where no key made it
  ADD COLUMN created_by_member uuid; -- the person behind it, also where a key of theirs made it; null where nobody knows

-- Keys from before the limit belong to operators, who gave them none.
UPDATE api_keys SET rate_limit = 1000000;

ALTER TABLE accounts ADD COLUMN paused_at timestamptz;

CREATE INDEX api_keys_expiry ON api_keys (expires_at) WHERE expires_at IS NOT NULL AND expiry_told_at IS NULL AND revoked_at IS NULL;

-- Secrets a key had before its present one. They stay for as long as the key, so that one past its grace is known for what it is.
CREATE TABLE retired_key_secrets (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  last4 text NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, key_id, secret_hash),
  FOREIGN KEY (account_id, key_id) REFERENCES api_keys (account_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX retired_key_secrets_hash ON retired_key_secrets (secret_hash);

-- How much of its rate limit each key has used: the generic cell rate algorithm in the form of a leaky bucket (ITU-T I.371). `used` requests
-- were in it at `as_of`, and a sixtieth of the minute's allowance runs out each second. By the database's clock, the only one that all
-- processes share. `lent_until`: until then processes may hold allowance that they have not used yet and will give back.
CREATE TABLE key_rates (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  used double precision NOT NULL,
  as_of timestamptz NOT NULL,
  lent_until timestamptz NOT NULL,
  PRIMARY KEY (account_id, key_id),
  FOREIGN KEY (account_id, key_id) REFERENCES api_keys (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- Takes allowance for the requests that wait in one process: an array of {o, a: account, k: key, r: requests a minute, n: waiting requests,
-- w: how many more are wished for, b: how many are given back}. Of a bucket that is far from full up to a sixteenth of what is free is lent
-- beyond what is needed, so that a busy process asks for hundreds of requests at once; where little is left nothing is lent. Rows are locked in
-- one order, so that processes never wait for one another in a circle.
CREATE FUNCTION take_allowance(asks json, lease_ms integer)
RETURNS TABLE (o integer, granted integer, spare integer, remaining integer, full_ms double precision, next_ms double precision, wait_ms double precision)
LANGUAGE plpgsql AS $$
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
    -- Behind the lock, so that the times of those who had it follow one another.
    at := clock_timestamp();
    in_use := greatest(0, bucket.used - greatest(0, extract(epoch FROM at - bucket.as_of)) * ask.r / 60.0 - ask.b);
    -- A millionth of a request is lost to arithmetic at most.
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
END $$;

-- How many messages each limited key has sent in the hour and on the day it sent last in; a row a key and period.
CREATE TABLE key_sends (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  period text NOT NULL CHECK (period IN ('hour', 'day')),
  starts_at timestamptz NOT NULL,
  sends integer NOT NULL,
  PRIMARY KEY (account_id, key_id, period),
  FOREIGN KEY (account_id, key_id) REFERENCES api_keys (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
