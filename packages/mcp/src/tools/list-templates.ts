import { findOperation, type OperationOutput, type Template } from '@postrider/core';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { toOneLine } from '../untrusted-text.ts';
import { describeVariables } from './template-text.ts';

const operation = findOperation('templates.list');

type Page = OperationOutput<typeof operation>;

const BODIES_NOTE = 'Bodies and versions are left out of the rows: read one with get_template.';

export function listTemplatesTool(entry: SurfaceEntry): Tool {
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
      // The operation answers what it declares, over HTTP as in process.
      const page = result.body as Page;
      return present({
        record: { ...page, templates: page.templates.map(toRow) },
        notes: placed.notes,
        structuredNotes: [UNTRUSTED_NOTE, BODIES_NOTE],
        toText: describePage,
      });
    },
  });
}

/** A row is for finding a template and what it takes. */
function toRow(template: Template): Template {
  return { ...template, html: null, text: null, versions: [] };
}

function describePage(page: Page, untrusted: (text: string) => string): string {
  const total = page.totalIsEstimate ? `about ${page.total}` : `${page.total}`;
  return [
    `${page.templates.length} of ${total} templates, newest first`,
    ...(page.templates.length === 0 ? [] : [untrusted(page.templates.map(describeRow).join('\n'))]),
    page.nextCursor === null
      ? 'This is the last page.'
      : `Next page: the same arguments with cursor ${page.nextCursor}`,
  ].join('\n');
}

function describeRow({ slug, name, subject, currentVersion, variables }: Template): string {
  const parts = [`${slug} (version ${currentVersion})`, name, subject ?? 'no subject', describeVariables(variables)];
  return `- ${toOneLine(parts.join(' | '))}`;
}
