-- Mail that came to return paths: how much of each kind, and what came of it. Counted by day and message, so that whoever sends the same
-- again and again makes a number larger and no table longer. Nothing of what the mail said is kept: that is on the trail, where it counts.
CREATE TABLE inbound_reports (
  account_id uuid NOT NULL, -- nil where the mail belongs to nobody
  id uuid NOT NULL,
  message_id uuid, -- null where no message is known
  kind text NOT NULL,
  outcome text NOT NULL,
  day date NOT NULL, -- UTC
  count integer NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX inbound_reports_counter ON inbound_reports (account_id, day, message_id, kind, outcome) NULLS NOT DISTINCT;
CREATE INDEX inbound_reports_age ON inbound_reports (day);

-- The envelope's sender is the return path now; who wrote a captured message is kept beside it. Null in what was captured before.
ALTER TABLE captured_messages ADD COLUMN from_given text;

-- Whether a host is a return path's is asked by strangers.
CREATE INDEX sending_domains_return_path ON sending_domains (return_path_host);
