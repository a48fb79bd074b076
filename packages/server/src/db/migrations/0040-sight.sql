-- What a webhook endpoint is sent is what the key that chose its URL may see at that moment. Null: a user chose it, or it is from before.
ALTER TABLE webhook_endpoints ADD COLUMN chosen_by uuid;

-- Searches of callers who see blind recipients of their own messages alone ask whose a message is.
CREATE OR REPLACE VIEW own_messages AS
  SELECT account_id, id, created_at, status, channel, source, agent_name, from_domain, tags, subject, key_id FROM messages
  WHERE account_id = current_account();
