import { type BatchItem, type FieldProblem, findOperation, LIMITS } from '@postrider/core';
import { DEDUPLICATED, deduplicationOf, guardDuplicates } from '../duplicate-guard.ts';
import { localProblem } from '../local-problem.ts';
import { present, refuse } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { toOneLine } from '../untrusted-text.ts';
import { withWaitInWords } from '../wait-in-words.ts';
import { quotaNotes } from './send-notes.ts';

const operation = findOperation('emails.send-batch');

const ADVICE =
  'Accepted items are not delivered yet: call wait_for_email with an id for its outcome, and do not send them again.';
const HELD_ITEMS =
  'Items with status pending_approval are held, not sent: an approver has to approve them first. Do not send them again; tell the user.';
const DEDUPLICATED_ITEMS =
  'The same batch was sent by this key within the last 10 minutes: items accepted then show their first ids, and nothing was sent twice.';
const REPLAYED = 'Some items were accepted before under this idempotency_key: nothing was sent twice.';

/** The full description is in send_email; repeating it would double the cost. */
const EMAILS = {
  type: 'array',
  minItems: 1,
  maxItems: LIMITS.emailsPerBatch,
  description: 'The emails, each with the arguments of send_email except idempotency_key; `dry_run` only checks it.',
  items: { type: 'object', required: ['from', 'to'] },
};
const RESULTS = {
  type: 'array',
  description: 'One per item, in order: index, ok, and id with status, error, or failedChecks of a dry run.',
  items: { type: 'object' },
};

interface Outcome {
  readonly accepted: number;
  readonly refused: number;
  readonly total: number;
  readonly results: readonly BatchItem[];
}

export function sendEmailBatchTool(entry: SurfaceEntry): Tool {
  return defineTool({
    entry,
    input: () => toolInputSchema(entry, { emails: EMAILS }),
    output: () => {
      const output = toolOutputSchema(operation, ['accepted', 'refused', 'total'], { deduplicated: DEDUPLICATED });
      return { ...output, properties: { results: RESULTS, ...output.properties } };
    },
    run: async (given, { invoke, caller, signal }) => {
      const claims = channelClaims(given['emails']);
      if (claims.length > 0) return refuse(channelProblem(claims));
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const { input, isAutomatic } = guardDuplicates(operation.id, placed.input, caller);
      const result = await invoke(operation.id, input, { signal });
      if (!result.ok) return refuse(result.problem);
      const replayed = result.headers['idempotency-replayed'] === 'true';
      return present({
        // The operation returns its declared type, over HTTP and in process.
        record: { ...compact(result.body as Outcome), ...deduplicationOf(replayed, isAutomatic) },
        structuredNotes: [ADVICE],
        notes: [
          ...(isAnyHeld(result.body as Outcome) ? [HELD_ITEMS] : []),
          ...(replayed ? [isAutomatic ? DEDUPLICATED_ITEMS : REPLAYED] : []),
          ...quotaNotes(result.headers),
        ],
        toText: describeOutcome,
      });
    },
  });
}

function isAnyHeld({ results }: Outcome): boolean {
  return results.some(({ status }) => status === 'pending_approval');
}

/** The entry point sets the channel, so an item that passes one is rejected instead of silently changed. */
function channelClaims(emails: unknown): FieldProblem[] {
  if (!Array.isArray(emails)) return [];
  return emails.flatMap((email: unknown, index) => {
    if (typeof email !== 'object' || email === null || !('channel' in email)) return [];
    const path = `emails.${index}.channel`;
    return [{ path, code: 'unknown_field', message: `\`channel\` is not an argument of a send here; leave it out` }];
  });
}

function channelProblem(errors: FieldProblem[]) {
  const detail = `send_email_batch does not accept: ${errors.map(({ path }) => path).join(', ')}.`;
  return localProblem('validation_failed', { detail, errors });
}

interface Row {
  readonly index: number;
  readonly ok: boolean;
  readonly id?: string;
  readonly status?: string;
  /** For held items. */
  readonly approvalId?: string;
  readonly dryRun?: true;
  readonly failedChecks?: readonly Reason[];
  readonly error?: Reason;
}

interface Reason {
  readonly code: string;
  readonly detail?: string;
  readonly fix?: string;
  readonly retryable?: boolean;
}

/** Every row is kept, because no id may be lost; details of refusals are shortened first. */
const ROWS_CHARACTERS_MAX = 12_000;
const SHORT_DETAIL_CHARACTERS = 80;

const REASON_FORMS: readonly ((reason: Reason) => Reason)[] = [
  (reason) => reason,
  ({ code, detail = '' }) => ({ code, detail: cut(detail) }),
  ({ code }) => ({ code }),
];

function compact({ results, ...counts }: Outcome) {
  const forms = REASON_FORMS.map((form) => results.map((result) => toRow(result, form)));
  const fitting = forms.find((rows) => JSON.stringify(rows).length <= ROWS_CHARACTERS_MAX) ?? forms.at(-1) ?? [];
  return { ...counts, results: fitting };
}

function toRow({ index, ok, id, status, approvalId, error, result }: BatchItem, form: (reason: Reason) => Reason): Row {
  if (result !== undefined) {
    const failed = result.checks.filter((check) => !check.ok);
    const reasons = failed.map(({ code = '', message = '', fix = '' }) => form({ code, detail: message, fix }));
    return { index, ok, dryRun: true, ...(reasons.length > 0 ? { failedChecks: reasons } : {}) };
  }
  if (error === undefined) {
    return { index, ok, ...(id ? { id } : {}), ...(status ? { status } : {}), ...(approvalId ? { approvalId } : {}) };
  }
  const { code, detail, fix, retryable } = error;
  return { index, ok, error: form(withWaitInWords({ code, detail, fix, retryable }, null)) };
}

function cut(text: string): string {
  return text.length <= SHORT_DETAIL_CHARACTERS
    ? text
    : `${text.slice(0, SHORT_DETAIL_CHARACTERS - 1).toWellFormed()}…`;
}

function describeOutcome({ accepted, total, results }: ReturnType<typeof compact>): string {
  return [`${accepted} of ${total} accepted. ${ADVICE}`, ...results.map(describeRow)].join('\n');
}

function describeRow({ index, ok, id, status, approvalId, dryRun, failedChecks = [], error }: Row): string {
  if (dryRun)
    return `- ${index} ${ok ? 'would be accepted' : `would be refused: ${failedChecks.map(inWords).join('; ')}`}`;
  if (error !== undefined) return `- ${index} refused: ${inWords(error)}`;
  return `- ${index} ${id} ${status}${approvalId === undefined ? '' : ` (approval ${approvalId})`}`;
}

function inWords({ code, detail = '', fix = '' }: Reason): string {
  return [code, detail === '' ? '' : `: ${toOneLine(detail)}`, fix === '' ? '' : ` Fix: ${toOneLine(fix)}`].join('');
}
