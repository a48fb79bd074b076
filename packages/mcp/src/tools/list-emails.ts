import { findOperation, type MessageRecord } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';
import { describePage } from './page-text.ts';

/** A row is for finding a message; get_email shows all of it. */
const ROW_FIELD_CHARACTERS_MAX = 120;

export const listEmailsTool = callingTool(findOperation('emails.list'), {
  structuredNotes: [UNTRUSTED_NOTE],
  toText: (page, untrusted) => describePage(page, { rows: page.messages, noun: 'messages', describeRow }, untrusted),
});

function describeRow(row: MessageRecord): string {
  const by = row.agentName === null ? '' : ` agent ${short(row.agentName)}`;
  const tags = row.tags.length === 0 ? '' : ` | tags ${short(row.tags.join(', '))}`;
  return `- ${row.id} ${row.status} ${row.createdAt} ${row.channel}/${row.source}${by} | from ${short(row.from)} | to ${short(row.to)} | ${short(row.subject)}${tags}`;
}

function short(text: string): string {
  const oneLine = toOneLine(text);
  return oneLine.length <= ROW_FIELD_CHARACTERS_MAX
    ? oneLine
    : `${oneLine.slice(0, ROW_FIELD_CHARACTERS_MAX - 1).toWellFormed()}…`;
}
