import type { OperationById } from '@postrider/core';
import { DEDUPLICATED, deduplicationOf, duplicateNotes, guardDuplicates } from '../duplicate-guard.ts';
import { present, refuse } from '../results.ts';
import { defineTool, placeGiven, type ToolMaker } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { quotaNotes } from './send-notes.ts';

type SingleSend = OperationById<'emails.send' | 'emails.resend' | 'templates.test'>;

/** What a send answers where it is no dry run; a resend names the first message too. */
interface Accepted {
  readonly id: string;
  readonly status: string;
  readonly resendOf?: string;
}

/** A tool that makes one message: the same content again within ten minutes answers with the first. `advice` tells what comes next. */
export function singleSendTool(operation: SingleSend, advice: string): ToolMaker {
  return (surface) =>
    defineTool({
      placed: surface,
      ...operation.mcp,
      input: toolInputSchema(surface.entry),
      output: toolOutputSchema(operation, undefined, { deduplicated: DEDUPLICATED }),
      run: async (given, { invoke, caller, signal }) => {
        const placed = placeGiven(surface.entry, given);
        if (!placed.ok) return refuse(placed.problem);
        const { input, isAutomatic } = guardDuplicates(operation.id, placed.input, caller);
        const result = await invoke(operation.id, input, { signal });
        if (!result.ok) return refuse(result.problem);
        const isReplayed = result.headers['idempotency-replayed'] === 'true';
        return present({
          // The operation answers what it declares, over HTTP as in process.
          record: { ...(result.body as Accepted), ...deduplicationOf(isReplayed, isAutomatic) },
          structuredNotes: [advice],
          notes: [...duplicateNotes(isReplayed, isAutomatic), ...quotaNotes(result.headers)],
          toText: (accepted: Accepted) => describeAccepted(accepted, advice),
        });
      },
    });
}

function describeAccepted({ id, status, resendOf }: Accepted, advice: string): string {
  return [advice, `id: ${id}`, `status: ${status}`, ...(resendOf === undefined ? [] : [`resendOf: ${resendOf}`])].join(
    '\n',
  );
}
