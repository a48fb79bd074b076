-- The bytes of memory that the message of a delivery needs, counted when it is accepted: counting them at each claim costs as much as the rest
-- of the claim's reads. Null where they are not known, as in earlier rows and after an approval; then the claim counts them.
ALTER TABLE deliveries ADD COLUMN bytes integer;
