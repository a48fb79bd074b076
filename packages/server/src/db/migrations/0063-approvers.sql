-- Whether an approval of a held send needs a passkey of the person who approves: for a whole account, or for the sends of a key.
ALTER TABLE accounts ADD COLUMN approvals_need_passkey boolean NOT NULL DEFAULT false;
ALTER TABLE api_keys ADD COLUMN approvals_need_passkey boolean NOT NULL DEFAULT false;
