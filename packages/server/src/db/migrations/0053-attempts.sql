-- Each delivery attempt with its SMTP conversation, stored with the first event of its outcome: no row and no statement is added to a delivery.
-- Adding a column without a default changes the catalog only, however many events there are.
ALTER TABLE message_events ADD COLUMN attempt text;
