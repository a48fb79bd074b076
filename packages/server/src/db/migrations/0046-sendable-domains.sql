-- The one place that says which domains an account may send from. The planner puts the body in place of the call.
CREATE FUNCTION is_sendable(domain_status text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT domain_status IN ('verified', 'degraded')
$$;

CREATE OR REPLACE FUNCTION is_domain_held_elsewhere(account uuid, domain text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT EXISTS (SELECT FROM sending_domains h WHERE h.name = domain AND h.account_id <> account
    AND (is_sendable(h.status) OR (h.status = 'pending' AND h.claimed_at IS NOT NULL)))
$$;
