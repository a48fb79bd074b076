import { findOperation, type Message, type MessageStatus, type PlacedInput } from '@postrider/core';
import type { InvokeResult } from '../invoke.ts';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool, type ToolCall } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { describeHold, noteOf } from './approval-text.ts';
import { eventRows, line, recipientRows, section } from './message-text.ts';

const operation = findOperation('emails.get');

/** Final statuses: no more events will follow, or the provider accepted the message and may never report more. */
const SETTLED: ReadonlySet<MessageStatus> = new Set<MessageStatus>([
  'sent',
  'delivered',
  'bounced',
  'complained',
  'failed',
  'suppressed',
  'rejected',
  'expired',
  'canceled',
]);

const SHOWN = ['id', 'status', 'to', 'subject', 'recipients', 'lastError', 'events'] as const;

/**
 * The hold and the time are returned if the message has them; the output schema omits but allows them, because every connection pays for
 * it.
 */
type Outcome = Pick<Message, (typeof SHOWN)[number]> & {
  readonly settled: boolean;
  readonly scheduledAt?: string;
  readonly approval?: NonNullable<Message['approval']>;
};

/** Often enough to prevent a client's timeout, and rarely enough to be cheap. */
const STEP_SECONDS = 5;

/**
 * Waits for a message's outcome, or the decision of a held one, and returns it without the content. A timeout is a result too, never an
 * error.
 */
export function waitForEmailTool(entry: SurfaceEntry): Tool {
  const settled = { type: 'boolean', description: 'False if the time ran out first.' };
  return defineTool({
    entry,
    input: () => toolInputSchema(entry),
    output: () => {
      const output = toolOutputSchema(operation, SHOWN);
      return { ...output, properties: { settled, ...output.properties } };
    },
    run: async (given, call) => {
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const result = await waitForOutcome(placed.input, call, entry.ceilings?.['wait']?.max ?? 0);
      if (!result.ok) return refuse(result.problem);
      const outcome = toOutcome(result.body);
      return present({
        record: outcome,
        notes: [...placed.notes, ...(outcome.settled ? [] : [adviceOn(outcome)])],
        structuredNotes: [UNTRUSTED_NOTE],
        toText: describeOutcome,
      });
    },
  });
}

/**
 * Reads the status once, then makes one long read, or short reads with progress notifications if the client wants progress or a decision is
 * pending: the API waits only for outcomes, and an approved message may then be scheduled. It counts the requested seconds instead of
 * reading a clock, so that an early response shortens the wait and never lengthens it.
 */
async function waitForOutcome(input: PlacedInput, call: ToolCall, secondsMax: number): Promise<InvokeResult> {
  const { invoke, signal, report } = call;
  const { wait: asked, ...query } = input.query;
  const seconds = Number(asked);
  const read = (wait: number) => invoke(operation.id, { ...input, query: { ...query, wait } }, { signal });
  const isValid = Number.isInteger(seconds) && seconds >= 1 && seconds <= secondsMax;
  if (!isValid) return invoke(operation.id, input, { signal });
  const before = await invoke(operation.id, { ...input, query }, { signal });
  if (!before.ok || toOutcome(before.body).settled) return before;
  const isHeld = toOutcome(before.body).status === 'pending_approval';
  if (report === null && !isHeld) return read(seconds);
  for (let waited = 0; ; ) {
    const wait = Math.min(STEP_SECONDS, seconds - waited);
    const result = await read(wait);
    waited += wait;
    if (!result.ok || waited >= seconds || signal.aborted) return result;
    const { status, settled } = toOutcome(result.body);
    if (settled || (isHeld && status !== 'pending_approval')) return result;
    await report?.({ progress: waited, total: seconds, message: `still ${status}` });
  }
}

function toOutcome(body: unknown): Outcome {
  // The operation returns its declared type, over HTTP and in process.
  const { id, status, to, subject, recipients, lastError, events, approval, scheduledAt } = body as Message;
  const shown = { settled: SETTLED.has(status), id, status, to, subject, recipients, lastError, events };
  const waits = scheduledAt != null && status === 'queued' ? { scheduledAt } : {};
  return { ...shown, ...waits, ...(approval == null ? {} : { approval }) };
}

function adviceOn({ status, scheduledAt, approval }: Outcome): string {
  if (status === 'pending_approval')
    return 'Held until an approver decides. Do not send it again; tell the user, and call wait_for_email again later.';
  const decided = approval?.status === 'approved' ? 'An approver has approved it. ' : '';
  const when = scheduledAt === undefined ? '' : `, and it is scheduled for ${scheduledAt}`;
  return `${decided}No outcome yet${when}. Do not send it again: call wait_for_email again${when === '' ? '' : ' after that time'}.`;
}

function describeOutcome(outcome: Outcome, untrusted: (text: string) => string): string {
  return [
    `Message ${outcome.id}: ${outcome.status}${outcome.settled ? '' : ' (no outcome yet)'}`,
    ...line('Scheduled for', outcome.scheduledAt),
    ...(outcome.approval === undefined ? [] : describeHold(outcome.approval)),
    untrusted(
      [
        ...noteOf(outcome.approval ?? null),
        ...line('To', outcome.to),
        ...line('Subject', outcome.subject),
        ...line('Last error', outcome.lastError),
        ...section('Recipients', recipientRows(outcome.recipients)),
        ...section('Events', eventRows(outcome.events)),
      ].join('\n'),
    ),
  ].join('\n');
}
