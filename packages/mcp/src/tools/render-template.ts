import { findOperation, type RenderedTemplate } from '@postrider/core';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { BODY_OFFSET, isOffset, offsetProblem } from './body-offset.ts';
import { line } from './message-text.ts';
import { describeBodies } from './template-text.ts';

const operation = findOperation('templates.render');

/** Shows what a template becomes; `body_offset` pages through bodies that are longer than one result shows. */
export function renderTemplateTool(entry: SurfaceEntry): Tool {
  return defineTool({
    entry,
    ...operation.mcp,
    input: toolInputSchema(entry, { body_offset: BODY_OFFSET }),
    output: toolOutputSchema(operation),
    run: async ({ body_offset: offset = 0, ...given }, { invoke, signal }) => {
      if (!isOffset(offset)) return refuse(offsetProblem());
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const result = await invoke(operation.id, placed.input, { signal });
      if (!result.ok) return refuse(result.problem);
      return present({
        // The operation answers what it declares, over HTTP as in process.
        record: result.body as RenderedTemplate,
        bodyOffset: offset,
        bodyTool: entry.tool,
        structuredNotes: [UNTRUSTED_NOTE],
        toText: describeRendered,
      });
    },
  });
}

function describeRendered(rendered: RenderedTemplate, untrusted: (text: string) => string): string {
  const { version, missing } = rendered;
  const state =
    missing.length === 0
      ? 'Nothing is missing: it can be sent with these variables.'
      : `Missing, a send would be refused: ${missing.join(', ')}`;
  return [
    `Rendered version ${version}; nothing was sent. ${state}`,
    untrusted([...line('Subject', rendered.subject), ...describeBodies(rendered)].join('\n')),
  ].join('\n');
}
