import { type AuditEntry, findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';
import { describePage } from './page-text.ts';

const HASHES_NOTE = 'The rows have no hashes: the REST API and the CLI return them.';

/** As JSON; longer details are shown as text, which can be cut, so that twenty rows fit. */
const DETAILS_CHARACTERS_MAX = 300;

export const listAuditEntriesTool = callingTool(findOperation('audit.list'), {
  toRecord: (page) => ({ ...page, entries: page.entries.map(toRow) }),
  structuredNotes: [UNTRUSTED_NOTE, HASHES_NOTE],
  toText: (page, untrusted) =>
    [describePage(page, { rows: page.entries, noun: 'entries', describeRow }, untrusted), HASHES_NOTE].join('\n'),
});

function toRow({ hash: _hash, previousHash: _previousHash, details, ...entry }: AuditEntry) {
  const json = JSON.stringify(details);
  return { ...entry, details: json.length <= DETAILS_CHARACTERS_MAX ? details : { asJson: json } };
}

function describeRow({ seq, createdAt, action, actor, targetId, id, details }: ReturnType<typeof toRow>): string {
  const parts = [
    `${seq} ${createdAt} ${action} by ${actor}`,
    ...(targetId === null ? [] : [`on ${targetId}`]),
    `entry ${id}`,
    ...Object.entries(details).map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}
