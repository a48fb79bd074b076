import { findOperation, type MessageRecord, type OperationOutput } from '@postrider/core';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { toOneLine } from '../untrusted-text.ts';

const operation = findOperation('emails.list');

type Page = OperationOutput<typeof operation>;

/** A row is for finding a message; get_email shows it whole. */
const ROW_FIELD_CHARACTERS_MAX = 120;

export function listEmailsTool(entry: SurfaceEntry): Tool {
  return defineTool({
    entry,
    ...operation.mcp,
    input: toolInputSchema(entry),
    output: toolOutputSchema(operation),
    run: async (given, { invoke, signal }) => {
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const result = await invoke(operation.id, placed.input, { signal });
      if (!result.ok) return refuse(result.problem);
      return present({
        // The operation answers what it declares, over HTTP as in process.
        record: result.body as Page,
        notes: placed.notes,
        structuredNotes: [UNTRUSTED_NOTE],
        toText: describePage,
      });
    },
  });
}

function describePage(page: Page, untrusted: (text: string) => string): string {
  const total = page.totalIsEstimate ? `about ${page.total}` : `${page.total}`;
  return [
    `${page.messages.length} of ${total} messages, newest first`,
    ...(page.messages.length === 0 ? [] : [untrusted(page.messages.map(describeRow).join('\n'))]),
    page.nextCursor === null
      ? 'This is the last page.'
      : `Next page: the same arguments with cursor ${page.nextCursor}`,
  ].join('\n');
}

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
