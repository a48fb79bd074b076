-- Ends the accepting statement, so that nothing of it stays, and says in the detail which items of the batch failed by which rule.
CREATE FUNCTION refuse_items(failed jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF failed IS NOT NULL THEN
    RAISE EXCEPTION 'acceptance facts are stale' USING ERRCODE = 'PR001', DETAIL = failed::text;
  END IF;
  RETURN true;
END $$;
