-- Where a delivery goes, for the transport that goes there by itself: the domain of its recipients. Empty where somebody else finds the way,
-- as with a relay, and then nothing is paid for it: the index holds named destinations alone.
ALTER TABLE deliveries ADD COLUMN destination text NOT NULL DEFAULT '';

-- A backlog for a destination that takes nothing at present is stepped over by one look, however long it is.
CREATE INDEX deliveries_destination ON deliveries (account_id, destination, next_at) WHERE destination <> '';
