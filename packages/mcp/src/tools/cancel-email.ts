import { findOperation } from '@postrider/core';
import { present, refuse } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';

const operation = findOperation('emails.cancel');

const CANCELED = 'Canceled: no copy is sent, and its content is removed.';

export function cancelEmailTool(entry: SurfaceEntry): Tool {
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
        record: result.body as { id: string; status: string },
        structuredNotes: [CANCELED],
        toText: ({ id, status }) => `${CANCELED}\nid: ${id}\nstatus: ${status}`,
      });
    },
  });
}
