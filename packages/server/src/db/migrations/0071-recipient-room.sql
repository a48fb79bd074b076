-- A recipient is written twice: when the message is accepted, and when its outcome is known. With room for the second version on its page, the
-- index gets no second entry. Pages that exist stay as they are. New partitions get the same from db/queries/partitions.ts.
DO $$
DECLARE
  part regclass;
BEGIN
  FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'message_recipients'::regclass LOOP
    EXECUTE format('ALTER TABLE %s SET (fillfactor = 50)', part);
  END LOOP;
END $$;
