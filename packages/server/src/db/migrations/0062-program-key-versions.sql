-- The key of a program that signed in has no scope that the role of its user lacks, so its rules change with that role too.
CREATE OR REPLACE FUNCTION count_seat_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_keys SET version = version + 1
  WHERE account_id = NEW.account_id AND (id = NEW.id AND is_seat OR created_by_member = NEW.id AND client_id IS NOT NULL);
  RETURN NULL;
END $$;
