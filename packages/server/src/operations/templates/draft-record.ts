import type { TemplateDraft } from '@postrider/core';
import { toApproversRecord } from '../../approvals/holds/approval-record.ts';
import type { DraftRow } from '../../db/queries/template-drafts.ts';
import { hashDraft } from '../../templates/draft-hash.ts';

/** A draft as the API returns it: what it changes, and the hash that identifies exactly that content. */
export function toDraftRecord(row: DraftRow): TemplateDraft {
  const { id, templateId, slug, name, version, baseVersion, currentVersion, createdBy, keyName, note } = row;
  return {
    ...{ id, templateId, slug, name, version, baseVersion, currentVersion, contentHash: hashDraft(row) },
    ...{ createdBy, keyName, createdAt: row.createdAt.toISOString(), note },
    approvers: toApproversRecord(row),
    changes: {
      ...change('subject', row.currentSubject, row.subject),
      ...change('html', row.currentHtml, row.html),
      ...change('text', row.currentText, row.text),
    },
  };
}

function change(part: keyof TemplateDraft['changes'], before: string | null, after: string | null) {
  return before === after ? {} : { [part]: { before, after } };
}
