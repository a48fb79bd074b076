import { findOperation, type OperationById } from '@postrider/core';
import { DEDUPLICATED, deduplicationOf, duplicateNotes, guardDuplicates } from '../duplicate-guard.ts';
import { present, refuse } from '../results.ts';
import { defineTool, placeGiven, type ToolCall, type ToolMaker } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { HELD_ADVICE } from './approval-text.ts';
import { quotaNotes } from './send-notes.ts';

export const sendEmailTool = singleSendTool(
  findOperation('emails.send'),
  'Accepted, not delivered yet. Do not send it again. Call wait_for_email with this id to learn the outcome.',
);

export const resendEmailTool = singleSendTool(
  findOperation('emails.resend'),
  'Accepted as a new message, not delivered yet. Do not send it again. Call wait_for_email with this id to learn the outcome.',
);

export const testTemplateTool = singleSendTool(
  findOperation('templates.test'),
  'Accepted, not delivered yet. It is sent to your own inbox. Call wait_for_email with this id to learn the outcome.',
);

type SingleSend = OperationById<'emails.send' | 'emails.resend' | 'templates.test'>;

/** The response to a send that is not a dry run; a resend also names the first message. */
interface Accepted {
  readonly id: string;
  readonly status: string;
  readonly resendOf?: string;
  readonly approvalId?: string;
  readonly reasons?: readonly string[];
  readonly expiresAt?: string;
  /** For scheduled sends. */
  readonly scheduledAt?: string;
}

/**
 * When a scheduled send is sent. The message has the exact time; if the key cannot read it, a time that was passed is shown in UTC, and a
 * duration as it was passed.
 */
async function scheduledTimeOf(
  given: unknown,
  id: string,
  { invoke, signal }: Pick<ToolCall, 'invoke' | 'signal'>,
): Promise<{ readonly scheduledAt?: string }> {
  if (typeof given !== 'string') return {};
  const read = await invoke('emails.get', { params: { id }, query: {}, headers: {}, body: undefined }, { signal });
  const stored = read.ok ? (read.body as { readonly scheduledAt: string | null }).scheduledAt : null;
  const passed = new Date(given);
  return {
    scheduledAt: stored ?? (Number.isNaN(passed.getTime()) ? `${given} after acceptance` : passed.toISOString()),
  };
}

/** A tool that creates one message: the same content within ten minutes returns the first one. `advice` says what to do next. */
function singleSendTool(operation: SingleSend, advice: string): ToolMaker {
  return (entry) =>
    defineTool({
      entry,
      input: () => toolInputSchema(entry),
      // The other fields of a held one are clear from their names; omitting them from the output schema saves tokens on every connection.
      output: () =>
        toolOutputSchema(operation, ['id', 'status', 'resendOf'], {
          scheduledAt: { type: 'string' },
          deduplicated: DEDUPLICATED,
        }),
      run: async (given, { invoke, caller, signal }) => {
        const placed = placeGiven(entry, given);
        if (!placed.ok) return refuse(placed.problem);
        const { input, isAutomatic } = guardDuplicates(operation.id, placed.input, caller);
        const result = await invoke(operation.id, input, { signal });
        if (!result.ok) return refuse(result.problem);
        const isReplayed = result.headers['idempotency-replayed'] === 'true';
        // The operation returns its declared type, over HTTP and in process.
        const accepted = result.body as Accepted;
        const scheduledAt = await scheduledTimeOf(given['scheduled_at'], accepted.id, { invoke, signal });
        const said = adviceOn(accepted.status, scheduledAt.scheduledAt !== undefined, advice);
        return present({
          record: { ...accepted, ...scheduledAt, ...deduplicationOf(isReplayed, isAutomatic) },
          structuredNotes: [said],
          notes: [...duplicateNotes(isReplayed, isAutomatic), ...quotaNotes(result.headers)],
          toText: (shown: Accepted) => describeAccepted(shown, said),
        });
      },
    });
}

const SCHEDULED_ADVICE =
  'Accepted and scheduled, not sent yet. Do not send it again. reschedule_email (toolset logs) changes the time, and cancel_email cancels it.';

function adviceOn(status: string, isScheduled: boolean, advice: string): string {
  if (status === 'pending_approval') return HELD_ADVICE;
  return isScheduled ? SCHEDULED_ADVICE : advice;
}

function describeAccepted(accepted: Accepted, advice: string): string {
  const { id, status, resendOf, approvalId, reasons, expiresAt, scheduledAt } = accepted;
  return [
    advice,
    `id: ${id}`,
    `status: ${status}`,
    ...(scheduledAt === undefined ? [] : [`scheduledAt: ${scheduledAt} (when it is sent, unless it is canceled)`]),
    ...(resendOf === undefined ? [] : [`resendOf: ${resendOf}`]),
    ...(approvalId === undefined ? [] : [`approvalId: ${approvalId}`]),
    ...(reasons === undefined ? [] : [`held by: ${reasons.join(', ')}`]),
    ...(expiresAt === undefined ? [] : [`expires: ${expiresAt}`]),
  ].join('\n');
}
