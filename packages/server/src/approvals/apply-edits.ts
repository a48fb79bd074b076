import {
  type ApprovalEdits,
  type EditableField,
  type FieldProblem,
  LIMITS,
  mailboxSchema,
  RECIPIENT_KINDS,
  type RecipientKind,
} from '@postrider/core';
import type { HeldMessage } from '../db/queries/held-messages.ts';
import { resolveSchedule } from '../sending/content/schedule.ts';
import { collectRecipients, type Recipient } from '../sending/recipients.ts';
import type { EditedHtml } from './edited-html.ts';

/** The parts of a held message that an approver can change. */
export interface EditedContent {
  readonly recipients: readonly Recipient[];
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly scheduledAt: Date | null;
}

export type EditVerdict =
  | {
      readonly ok: true;
      readonly content: EditedContent;
      /** The fields whose value changed, each with its old and new value. */
      readonly changes: Readonly<Partial<Record<EditableField, { readonly before: unknown; readonly after: unknown }>>>;
    }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/**
 * Applies an approver's edits to a held message. Fields that the edits omit stay unchanged; a field with the same value is not a change.
 * @param edited what was computed from the new HTML; null if the edits have no HTML
 */
export function applyEdits(held: HeldMessage, edits: ApprovalEdits, edited: EditedHtml | null, now: Date): EditVerdict {
  const schedule = edits.scheduled_at === undefined ? null : resolveSchedule(edits.scheduled_at, now);
  if (schedule?.ok === false) return refuse(schedule.refusal.errors ?? []);
  const before = { ...held, recipients: numbered(held.recipients) };
  const after: EditedContent = {
    recipients: collectRecipients(toMailboxes(held, edits)),
    subject: edits.subject ?? held.subject,
    html: edits.html ?? held.html,
    text: toText(held, edits, edited),
    scheduledAt: schedule === null ? held.scheduledAt : schedule.at,
  };
  if (after.recipients.length > LIMITS.recipientsPerMessage) {
    const message = `to, cc and bcc have ${after.recipients.length} recipients together; at most ${LIMITS.recipientsPerMessage} are allowed`;
    return refuse([{ path: 'to', code: 'too_many', message }]);
  }
  if (!after.recipients.some(({ kind }) => kind === 'to')) {
    return refuse([{ path: 'to', code: 'required', message: 'would leave the message without a recipient' }]);
  }
  if (after.html === null && after.text === null) {
    return refuse([{ path: 'text', code: 'required', message: 'would leave the message without a body' }]);
  }
  return { ok: true, content: after, changes: differences(before, after) };
}

function refuse(problems: readonly FieldProblem[]): EditVerdict {
  return { ok: false, problems: problems.map((problem) => ({ ...problem, path: `edits.${problem.path}` })) };
}

type Mailboxes = NonNullable<ApprovalEdits['to']>;

function toMailboxes(held: HeldMessage, edits: ApprovalEdits): Record<RecipientKind, Mailboxes> {
  const of = (kind: RecipientKind): Mailboxes =>
    edits[kind] ??
    held.recipients
      .filter((recipient) => recipient.kind === kind)
      .map(({ name, email }) => ({ ...mailboxSchema.parse(email), name }));
  return { to: of('to'), cc: of('cc'), bcc: of('bcc') };
}

function numbered(recipients: HeldMessage['recipients']): readonly Recipient[] {
  return recipients.map((recipient, ordinal) => ({ ...recipient, ordinal }));
}

function toText({ text }: HeldMessage, edits: ApprovalEdits, edited: EditedHtml | null): string | null {
  if (edits.text !== undefined) return edits.text === '' ? null : edits.text;
  return edited?.text ?? text;
}

function differences(before: EditedContent, after: EditedContent) {
  const fields: readonly (readonly [EditableField, unknown, unknown])[] = [
    ...RECIPIENT_KINDS.map((kind) => [kind, linesOf(before, kind), linesOf(after, kind)] as const),
    ['subject', before.subject, after.subject],
    ['html', before.html, after.html],
    ['text', before.text, after.text],
    ['scheduled_at', before.scheduledAt?.toISOString() ?? null, after.scheduledAt?.toISOString() ?? null],
  ];
  return Object.fromEntries(
    fields
      .filter(([, was, is]) => was !== is && (isText(was, is) || JSON.stringify(was) !== JSON.stringify(is)))
      .map(([name, was, is]) => [name, { before: was, after: is }]),
  );
}

/** Texts are compared directly: comparing two megabytes as JSON takes longer than everything else here. */
function isText(was: unknown, is: unknown): boolean {
  return (typeof was === 'string' || was === null) && (typeof is === 'string' || is === null);
}

function linesOf({ recipients }: EditedContent, kind: RecipientKind): readonly string[] {
  return recipients
    .filter((recipient) => recipient.kind === kind)
    .map(({ name, email }) => (name === null ? email : `${name} <${email}>`));
}
