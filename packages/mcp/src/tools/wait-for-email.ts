import { findOperation, type Message, type MessageStatus, type PlacedInput } from '@postrider/core';
import type { InvokeResult } from '../invoke.ts';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import type { PlacedEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool, type ToolCall } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { describeHold, noteOf } from './approval-text.ts';
import { eventRows, line, recipientRows, section } from './message-text.ts';

const operation = findOperation('emails.get');

/** Where waiting ends: nothing more will happen, or the provider took the message and may never say more. */
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

/** The hold is there where the message has one: the output schema, for which every connection pays, is open to it. */
type Outcome = Pick<Message, (typeof SHOWN)[number]> & {
  readonly settled: boolean;
  readonly approval?: NonNullable<Message['approval']>;
};

/** Often enough to keep a client's time-out from running down, and seldom enough to cost nothing. */
const PROGRESS_EVERY_SECONDS = 5;

/** Waits for a message's outcome and answers it without the content; the time-out is an answer too, never an error. */
export function waitForEmailTool(surface: PlacedEntry): Tool {
  const { entry } = surface;
  const settled = { type: 'boolean', description: 'False where the time ran out first.' };
  return defineTool({
    placed: surface,
    title: 'Wait for an email’s outcome',
    description:
      'Waits up to 50 seconds until a message has an outcome (sent, delivered, bounced, failed, …) and answers its status, recipients and trail. Not for content: use get_email. If the time runs out it answers the present status with `settled` false: call it again, and do not send again.',
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
 * One long read; or, where the client wants to hear of progress, short ones with a notification between them. It counts the seconds it asked
 * for instead of reading a clock: a server that answers early shortens the wait and never lengthens it.
 */
async function waitForOutcome(input: PlacedInput, call: ToolCall, secondsMax: number): Promise<InvokeResult> {
  const { invoke, signal, report } = call;
  const seconds = Number(input.query['wait']);
  const isValid = Number.isInteger(seconds) && seconds >= 1 && seconds <= secondsMax;
  if (report === null || !isValid) return invoke(operation.id, input, { signal });
  for (let waited = 0; ; ) {
    const wait = Math.min(PROGRESS_EVERY_SECONDS, seconds - waited);
    const result = await invoke(operation.id, { ...input, query: { ...input.query, wait } }, { signal });
    waited += wait;
    if (!result.ok || waited >= seconds || signal.aborted) return result;
    const { status, settled } = toOutcome(result.body);
    if (settled) return result;
    await report({ progress: waited, total: seconds, message: `still ${status}` });
  }
}

function toOutcome(body: unknown): Outcome {
  // The operation answers what it declares, over HTTP as in process.
  const { id, status, to, subject, recipients, lastError, events, approval } = body as Message;
  const shown = { settled: SETTLED.has(status), id, status, to, subject, recipients, lastError, events };
  return approval == null ? shown : { ...shown, approval };
}

function adviceOn({ status }: Outcome): string {
  return status === 'pending_approval'
    ? 'Held until a person decides. Do not send it again; tell the user, and call wait_for_email again later.'
    : 'No outcome yet. Do not send it again: call wait_for_email again.';
}

function describeOutcome(outcome: Outcome, untrusted: (text: string) => string): string {
  return [
    `Message ${outcome.id}: ${outcome.status}${outcome.settled ? '' : ' (no outcome yet)'}`,
    ...(outcome.approval === undefined ? [] : describeHold(outcome.approval)),
    untrusted(
      [
        ...noteOf(outcome.approval ?? null),
        ...line('To', outcome.to),
        ...line('Subject', outcome.subject),
        ...line('Last error', outcome.lastError),
        ...section('Recipients', recipientRows(outcome.recipients)),
        ...section('Trail', eventRows(outcome.events)),
      ].join('\n'),
    ),
  ].join('\n');
}
