import { findOperation } from '@postrider/core';
import { DEDUPLICATED, deduplicationOf, duplicateNotes, guardDuplicates } from '../duplicate-guard.ts';
import { present, refuse } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { quotaNotes } from './send-notes.ts';

const operation = findOperation('emails.resend');

const ADVICE =
  'Accepted as a new message, not delivered yet. Do not send it again. Call wait_for_email with this id to learn the outcome.';

export function resendEmailTool(entry: SurfaceEntry): Tool {
  return defineTool({
    entry,
    ...operation.mcp,
    input: toolInputSchema(entry),
    output: toolOutputSchema(operation, undefined, { deduplicated: DEDUPLICATED }),
    run: async (given, { invoke, caller, signal }) => {
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const { input, isAutomatic } = guardDuplicates(operation.id, placed.input, caller);
      const result = await invoke(operation.id, input, { signal });
      if (!result.ok) return refuse(result.problem);
      const isReplayed = result.headers['idempotency-replayed'] === 'true';
      return present({
        // The operation answers what it declares, over HTTP as in process.
        record: {
          ...(result.body as { id: string; status: string; resendOf: string }),
          ...deduplicationOf(isReplayed, isAutomatic),
        },
        structuredNotes: [ADVICE],
        notes: [...duplicateNotes(isReplayed, isAutomatic), ...quotaNotes(result.headers)],
        toText: ({ id, status, resendOf }) => `${ADVICE}\nid: ${id}\nstatus: ${status}\nresendOf: ${resendOf}`,
      });
    },
  });
}
