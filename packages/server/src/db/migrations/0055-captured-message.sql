-- The message that a captured one belongs to, for the link between the two in the console. Null for what was captured earlier.
ALTER TABLE captured_messages ADD COLUMN message_id uuid;
