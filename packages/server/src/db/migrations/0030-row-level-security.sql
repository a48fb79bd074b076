-- The second wall between accounts. The first is the account in every query; this one holds where a query forgets it. Requests work as
-- `postrider_app`, which owns nothing and sees the rows of one account: the one their transaction names in `app.account_id`. Where it names
-- none, there are no rows. What works for all accounts (delivery, the door, roll-ups, the operator's commands) does so as a member of
-- `postrider_system`. Neither role can log in; the user who connects is a member of both.

-- Roles belong to the whole server: another database of it may have made them, or be making them at this moment.
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['postrider_app', 'postrider_system'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
    -- Membership alone does not do: the policies of a role hold for whoever has its rights without asking for them.
    IF NOT pg_has_role(current_user, wanted, 'USAGE') THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
    END IF;
  END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE EXCEPTION 'the roles postrider_app and postrider_system cannot be made or taken: %', SQLERRM USING ERRCODE = 'PR002';
END $$;

-- The account of this transaction; null where it has none. A setting that was made once stands at '' after its transaction.
CREATE FUNCTION current_account() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(current_setting('app.account_id', true), '')::uuid
$$;

-- Puts a table behind the wall; `account_column` says whose a row is. Every migration that makes a table with rows of accounts calls this, and
-- whoever makes a partition does. Partitions are reached through their parent alone: on themselves nobody but the system has rights.
CREATE FUNCTION protect_account_table(protected regclass, account_column name DEFAULT 'account_id') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', protected);
  EXECUTE format('DROP POLICY IF EXISTS own_account ON %s', protected);
  EXECUTE format('DROP POLICY IF EXISTS all_accounts ON %s', protected);
  EXECUTE format('CREATE POLICY own_account ON %s TO postrider_app USING (%I = current_account()) WITH CHECK (%I = current_account())',
    protected, account_column, account_column);
  EXECUTE format('CREATE POLICY all_accounts ON %s TO postrider_system USING (true) WITH CHECK (true)', protected);
  IF NOT (SELECT relispartition FROM pg_class WHERE oid = protected) THEN
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO postrider_app', protected);
  END IF;
END $$;

DO $$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO postrider_app', current_schema());
  PERFORM protect_account_table(a.attrelid::regclass) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.attname = 'account_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace;
  PERFORM protect_account_table('accounts', 'id');
END $$;

-- A person belongs to no account; an account sees those who have a seat in it.
ALTER TABLE users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON users FOR SELECT TO postrider_app USING (EXISTS (SELECT FROM members m WHERE m.user_id = users.id));
CREATE POLICY all_accounts ON users TO postrider_system USING (true) WITH CHECK (true);
GRANT SELECT ON users TO postrider_app;

-- The log of requests is written by COPY, which row-level security does not allow: its owner, who writes it, is excepted.
ALTER TABLE request_log NO FORCE ROW LEVEL SECURITY;

-- Whether somebody else has a name is one account's business as well: that much, and no more, is told of the others.
CREATE FUNCTION is_domain_held_elsewhere(account uuid, domain text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT EXISTS (SELECT FROM sending_domains h WHERE h.name = domain AND h.account_id <> account
    AND (h.status IN ('verified', 'degraded') OR (h.status = 'pending' AND h.claimed_at IS NOT NULL)))
$$;

-- What searches read. Behind a policy, conditions that are not leakproof (LIKE, @>) are only asked of rows that have passed it, and so use no
-- index; a view that names the account is the same wall, and its conditions are planned like those of the query. Nobody but the system may
-- define functions here, by which such a view could leak.
CREATE VIEW own_message_search AS
  SELECT account_id, message_id, created_at, facets, search FROM message_search WHERE account_id = current_account();
CREATE VIEW own_messages AS
  SELECT account_id, id, created_at, status, channel, source, agent_name, from_domain, tags, subject FROM messages
  WHERE account_id = current_account();
GRANT SELECT ON own_message_search, own_messages TO postrider_app;
