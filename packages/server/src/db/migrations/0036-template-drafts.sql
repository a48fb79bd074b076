-- What a key in approval mode or a test key writes to a template is a draft until somebody who decides publishes it.

-- Null while a template has drafts only: then nobody can send it.
ALTER TABLE templates ALTER COLUMN current_version DROP NOT NULL;

-- The highest number that a version was ever given. A discarded draft is removed, and its number must not come back with other content.
ALTER TABLE templates ADD COLUMN last_version integer;
UPDATE templates SET last_version = current_version;

ALTER TABLE template_versions
  ADD COLUMN status text NOT NULL DEFAULT 'published' CHECK (status IN ('draft', 'published')),
  -- By part: {"html": {"author": id, "vouchedBy": id}}. Null on versions from before: created_by wrote every part.
  ADD COLUMN authors jsonb,
  ADD COLUMN draft_id uuid, -- of a draft: its place among the drafts
  ADD COLUMN base_version integer, -- of a draft: the version that was current when it was written; null where there was none
  ADD COLUMN published_by text, -- of a version that was a draft; other versions are published by who made them
  ADD COLUMN published_at timestamptz,
  ADD COLUMN told_at timestamptz; -- of a draft: when the approvers were mailed

CREATE INDEX template_draft_ids ON template_versions (account_id, draft_id) WHERE status = 'draft';
CREATE INDEX template_drafts ON template_versions (account_id, created_by) WHERE status = 'draft';
CREATE INDEX template_drafts_untold ON template_versions (created_at) WHERE status = 'draft' AND told_at IS NULL;

-- Who answers for the parts that a version has; null among them: nobody is known.
CREATE FUNCTION template_vouchers(version template_versions) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(DISTINCT CASE WHEN version.authors IS NULL THEN version.created_by ELSE version.authors -> p.name ->> 'vouchedBy' END)
  FROM (VALUES ('subject', version.subject), ('html', version.html), ('text', version.text)) AS p (name, content)
  WHERE p.content IS NOT NULL
$$;
