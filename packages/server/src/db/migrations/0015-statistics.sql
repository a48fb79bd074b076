-- Statistics: roll-ups by day, and what they are made from. Whoever writes an outcome or an opening notes the message in `count_backlog`, by
-- the same statement; in the background what the message counts for is found anew and compared with what was counted for it before, and the
-- difference is added to the roll-ups. So events may come late, again and in any order, and a count can be lost by no crash.

-- One row for each day and thing that is counted apart. `kind`: `all`, `channel`, `source`, `agent` or `tag`, named by `value`; `outbound`
-- are the messages that left the installation, by which the reputation goes. Every number counts messages. Of tags and agents, of which there
-- may be hundreds, rows of four and of sixteen days stand beside those of one: a window of 90 days then reads a sixth of the rows.
CREATE TABLE message_rollups (
  account_id uuid NOT NULL,
  kind text NOT NULL,
  span smallint NOT NULL CHECK (span IN (1, 4, 16)), -- days
  day date NOT NULL, -- UTC, of acceptance; of several the first, whose number since 1970 is divisible by the span
  value text NOT NULL,
  sent integer NOT NULL,
  delivered integer NOT NULL,
  bounced integer NOT NULL,
  complained integer NOT NULL,
  hard integer NOT NULL,
  soft integer NOT NULL,
  block integer NOT NULL,
  spam integer NOT NULL,
  unknown integer NOT NULL,
  open_tracked integer NOT NULL,
  opened integer NOT NULL,
  click_tracked integer NOT NULL,
  clicked integer NOT NULL,
  PRIMARY KEY (account_id, kind, span, day, value)
) WITH (fillfactor = 70);

-- What a message has been counted for: a bit for each number of a roll-up, in the order of its columns.
CREATE TABLE message_counts (
  account_id uuid NOT NULL,
  message_id uuid NOT NULL,
  flags integer NOT NULL,
  PRIMARY KEY (account_id, message_id)
) PARTITION BY RANGE (message_id);

CREATE TABLE message_counts_other PARTITION OF message_counts DEFAULT;

-- Filled and emptied all the time.
CREATE TABLE count_backlog (
  account_id uuid NOT NULL,
  message_ids uuid[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

ALTER TABLE accounts
  ADD COLUMN reputation_level text NOT NULL DEFAULT 'good' CHECK (reputation_level IN ('good', 'watch', 'at_risk', 'suspended')),
  ADD COLUMN reputation_from date, -- days before it do not count: an operator has forgiven them
  ADD COLUMN deletion_scheduled_at timestamptz,
  ADD COLUMN erasing_at timestamptz; -- from here on nothing stops the erasure any more

CREATE INDEX accounts_deletion ON accounts (deletion_scheduled_at) WHERE deletion_scheduled_at IS NOT NULL;

-- What is in the log already.
INSERT INTO count_backlog (account_id, message_ids)
SELECT account_id, array_agg(id) FROM (
  SELECT account_id, id, (row_number() OVER (PARTITION BY account_id ORDER BY id)) / 500 AS part FROM messages WHERE status <> 'queued') AS numbered
GROUP BY account_id, part;
