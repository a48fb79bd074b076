import { findOperation, type OperationOutput, type Suppression } from '@postrider/core';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { toOneLine } from '../untrusted-text.ts';

const operation = findOperation('suppressions.list');

type Page = OperationOutput<typeof operation>;

export function listSuppressionsTool(entry: SurfaceEntry): Tool {
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
    `${page.suppressions.length} of ${total} suppressed addresses, newest first`,
    ...(page.suppressions.length === 0 ? [] : [untrusted(page.suppressions.map(describeRow).join('\n'))]),
    page.nextCursor === null
      ? 'This is the last page.'
      : `Next page: the same arguments with cursor ${page.nextCursor}`,
  ].join('\n');
}

function describeRow({ email, reason, createdAt, expiresAt, emailId, note }: Suppression): string {
  const parts = [
    `${email} ${reason} since ${createdAt}`,
    ...(expiresAt === null ? [] : [`until ${expiresAt}`]),
    ...(emailId === null ? [] : [`message ${emailId}`]),
    ...(note === null ? [] : [`note: ${note}`]),
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}
