import { findOperation } from '@postrider/core';
import { present, refuse } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';

const operation = findOperation('emails.send');

const ADVICE =
  'Accepted, not delivered yet. Do not send it again. Call wait_for_email with this id to learn the outcome.';
const REPLAYED = 'This idempotency_key was used before: this is the first answer again, and nothing was sent twice.';

export function sendEmailTool(entry: SurfaceEntry): Tool {
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
        structuredNotes: [ADVICE],
        notes: [...(result.headers['idempotency-replayed'] === 'true' ? [REPLAYED] : []), ...quota(result.headers)],
        toText: ({ id, status }) => `${ADVICE}\nid: ${id}\nstatus: ${status}`,
      });
    },
  });
}

function quota(headers: Readonly<Record<string, string>>): string[] {
  const remaining = headers['x-quota-remaining'];
  const limit = headers['x-quota-limit'];
  return remaining === undefined || limit === undefined
    ? []
    : [`Left this month: ${remaining} of ${limit} recipients.`];
}
