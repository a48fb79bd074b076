-- What a send can carry beside its bodies: files, tracked links, a time, a template, the message it repeats.

ALTER TABLE messages
  ADD COLUMN scheduled_at timestamptz,
  ADD COLUMN template text, -- slug or id with the version that was rendered: welcome@3
  ADD COLUMN resend_of uuid,
  ADD COLUMN unsubscribe boolean NOT NULL DEFAULT false;

ALTER TABLE accounts
  ADD COLUMN track_opens boolean NOT NULL DEFAULT false,
  ADD COLUMN track_clicks boolean NOT NULL DEFAULT false;

CREATE TABLE message_attachments (
  account_id uuid NOT NULL,
  message_id uuid NOT NULL,
  ordinal smallint NOT NULL,
  filename text NOT NULL,
  content_type text NOT NULL,
  content_id text, -- set: the file is inline
  size integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (account_id, message_id, ordinal)
) PARTITION BY RANGE (message_id);

-- Files come compressed or encoded already: trying to compress them again would only cost.
ALTER TABLE message_attachments ALTER COLUMN content SET STORAGE EXTERNAL;

-- One row a message that carries an open pixel or rewritten links; a click names a link by its place in `links`.
CREATE TABLE message_tracking (
  account_id uuid NOT NULL,
  message_id uuid NOT NULL,
  open_pixel boolean NOT NULL,
  links text[] NOT NULL,
  PRIMARY KEY (account_id, message_id)
) PARTITION BY RANGE (message_id);

CREATE TABLE message_attachments_other PARTITION OF message_attachments DEFAULT;
CREATE TABLE message_tracking_other PARTITION OF message_tracking DEFAULT;

CREATE OR REPLACE FUNCTION ensure_message_partitions(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
  suffix text := to_char(month, 'YYYY_MM');
  lower_bound uuid := uuid_v7_lower_bound(month AT TIME ZONE 'UTC');
  upper_bound uuid := uuid_v7_lower_bound((month + interval '1 month') AT TIME ZONE 'UTC');
  parent text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('postrider.partitions'));
  FOREACH parent IN ARRAY ARRAY[
    'messages', 'message_bodies', 'message_recipients', 'message_events', 'message_attachments', 'message_tracking'] LOOP
    IF to_regclass(parent || '_' || suffix) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        parent || '_' || suffix, parent, lower_bound, upper_bound);
      -- Bodies of usual size stay in the row as they are: compressing them cost as much as all the rest of their insert.
      IF parent = 'message_bodies' THEN
        EXECUTE format('ALTER TABLE %I SET (toast_tuple_target = 4080)', parent || '_' || suffix);
      END IF;
    END IF;
  END LOOP;
END $$;
