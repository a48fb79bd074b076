-- Templates with their versions. A version never changes; a template names the current one.

CREATE TABLE templates (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  current_version integer NOT NULL CHECK (current_version >= 1),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX templates_slug ON templates (account_id, slug);

CREATE TABLE template_versions (
  account_id uuid NOT NULL,
  template_id uuid NOT NULL,
  version integer NOT NULL CHECK (version >= 1),
  subject text,
  html text,
  text text,
  variables jsonb NOT NULL, -- of each part, as they were found when it was stored
  note text,
  created_by text, -- the id of a key or a person
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, template_id, version),
  FOREIGN KEY (account_id, template_id) REFERENCES templates (account_id, id) ON DELETE CASCADE
);
