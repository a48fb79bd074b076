-- Taking a delivery writes a second version of its row, which is slightly longer. Where all of a page is taken at once both fit into it, and no
-- index learns of the second; at 70 % every other one went elsewhere, with an entry in both indexes.
ALTER TABLE webhook_deliveries SET (fillfactor = 45);
