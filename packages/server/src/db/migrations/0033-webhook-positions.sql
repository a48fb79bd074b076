-- When an event was stored, and beside which transactions: an event can be stored behind younger ones, and who follows the events goes on by this.
-- Null on events from before: those are followed by their ids alone.
ALTER TABLE webhook_events
  ADD COLUMN stored_at timestamptz,
  ADD COLUMN stored_by xid8, -- the transaction that stored it
  ADD COLUMN stored_beside xid8; -- every transaction before this one was over when it was stored

CREATE INDEX webhook_events_stored ON webhook_events (account_id, stored_at);

-- When somebody asked for this delivery at once while an attempt may have been under way: that attempt is not the one asked for.
ALTER TABLE webhook_deliveries ADD COLUMN asked_at timestamptz;
