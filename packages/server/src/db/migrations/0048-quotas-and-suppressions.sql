-- The one place that says what quota an account has: its own, or else that of the installation. Like is_sendable these two are replaced by
-- their bodies when a statement is planned.
CREATE FUNCTION quota_of(own integer, installation integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(own, installation)
$$;

-- The one place that says which suppressions count: an expired one is as if it were gone.
CREATE FUNCTION is_suppressing(expires_at timestamptz, at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT expires_at IS NULL OR expires_at > at
$$;
