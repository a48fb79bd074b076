import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';
import { describeState, type Key } from './key-text.ts';
import { describePage } from './page-text.ts';

const LISTS_NOTE = 'The rows have no allowlists and hold rules: read one key with get_key.';

export const listKeysTool = callingTool(findOperation('keys.list'), {
  toRecord: (page) => ({ ...page, keys: page.keys.map(toRow) }),
  structuredNotes: [UNTRUSTED_NOTE, LISTS_NOTE],
  toText: (page, untrusted) =>
    [describePage(page, { rows: page.keys, noun: 'keys', describeRow }, untrusted), LISTS_NOTE].join('\n'),
});

/** A row is for finding a key: one allowlist alone can have a thousand entries. */
function toRow(key: Key) {
  const { id, name, mode, prefix, last4, scopes, approvalMode, createdAt, lastUsedAt, expiresAt, revokedAt, pausedAt } =
    key;
  return {
    ...{ id, name, mode, prefix, last4, scopes, approvalMode },
    ...{ createdAt, lastUsedAt, expiresAt, revokedAt, pausedAt },
  };
}

function describeRow(row: ReturnType<typeof toRow>): string {
  const parts = [
    `${row.id} ${row.mode} ${row.prefix}…${row.last4}`,
    describeState(row),
    `made ${row.createdAt}`,
    `last used ${row.lastUsedAt ?? 'never'}`,
    ...(row.expiresAt === null ? [] : [`expires ${row.expiresAt}`]),
    ...(row.approvalMode === 'off' ? [] : [`approval ${row.approvalMode}`]),
    `scopes ${row.scopes.join(', ')}`,
    row.name,
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}
