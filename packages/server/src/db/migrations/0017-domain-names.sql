-- What outlives the domains that bore a name: the selectors their keys had, and how often the name moved.

-- Every selector an account ever had keys under at a name, that of a key that is gone as well: caches may hold its record, and a person may
-- have published it.
CREATE TABLE dkim_selectors (
  account_id uuid NOT NULL,
  name text NOT NULL,
  selector text NOT NULL,
  PRIMARY KEY (account_id, name, selector)
);

INSERT INTO dkim_selectors (account_id, name, selector)
SELECT DISTINCT k.account_id, d.name, k.selector FROM dkim_keys k
JOIN sending_domains d ON d.account_id = k.account_id AND d.id = k.domain_id;

-- How often a name was taken from its holder by a challenge. Challenges are made of it, so that each move voids all that were given out.
CREATE TABLE domain_takeovers (
  name text PRIMARY KEY,
  times integer NOT NULL
);

UPDATE sending_domains SET verified_at = NULL WHERE status = 'removed';
