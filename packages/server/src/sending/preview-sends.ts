import { DRY_RUN_CHECK_NAMES, type DryRun, type DryRunCheckName, ERRORS, type SendRequest } from '@postrider/core';
import { startInSlices } from '../time-slice.ts';
import type { Refusal } from './acceptance.ts';
import type { Examination } from './acceptance-dry-run.ts';
import type { FileSession } from './content/fetch-files.ts';
import { prepareContent } from './content/prepare-content.ts';
import type { BodyFindings, SendContent } from './content/send-content.ts';
import type { Sender } from './judged-sender.ts';
import { type ParsedSend, type SendInput, toParsedSend } from './parsed-send.ts';
import type { Sending } from './sending.ts';

/**
 * Shows what would happen to sends without sending, storing or charging anything. Every rule is checked for each send, even after one
 * failed. Idempotency keys have no effect.
 * @throws if the database or another dependency does not respond.
 */
export async function previewSends(
  sending: Sending,
  sender: Sender,
  inputs: readonly SendInput[],
): Promise<readonly DryRun[]> {
  const files = sending.content.files.open();
  try {
    return await previewTogether(sending, sender, inputs, files);
  } finally {
    files.close();
  }
}

async function previewTogether(
  sending: Sending,
  sender: Sender,
  inputs: readonly SendInput[],
  files: FileSession,
): Promise<readonly DryRun[]> {
  const made = await startInSlices(inputs, (input) => makeContent(sending, sender, input, files));
  const sends = inputs.map((input, index) => {
    const content = made[index]?.content ?? contentAsGiven(input.request, made[index]?.findings);
    return toParsedSend(sender, { ...input, idempotency: null }, content);
  });
  const examinations = await sending.acceptanceDryRun.examine(sends);
  // `sends`, `made` and `examinations` are in the same order.
  return examinations.map((examination, index) => {
    const send = sends[index];
    if (send === undefined) throw new Error('an examination returned without its send');
    return toPreview(send, made[index]?.refusals ?? [], examination);
  });
}

async function makeContent(
  { content }: Sending,
  sender: Sender,
  input: SendInput,
  files: FileSession,
): Promise<MadeContent> {
  const verdict = await prepareContent(content, sender, input, files, true);
  return verdict.ok ? { content: verdict.content, refusals: [], findings: {} } : { content: null, ...verdict };
}

interface MadeContent {
  readonly content: SendContent | null;
  readonly refusals: readonly Refusal[];
  readonly findings: BodyFindings;
}

/** If the content cannot be prepared, the rest is still checked and shown. */
function contentAsGiven({ subject = '', html, text }: SendRequest, findings: BodyFindings = {}): SendContent {
  const nothing = { template: null, templateMakers: null, attachments: [], tracking: null, scheduledAt: null };
  return { subject, html: html ?? null, text: text ?? null, ...nothing, findings };
}

function toPreview(
  send: ParsedSend,
  refusals: readonly Refusal[],
  { findings, provenance, quota, holdReasons }: Examination,
): DryRun {
  const { refused, ...rules } = findings;
  const found: Readonly<Partial<Record<DryRunCheckName, Refusal | null>>> = {
    ...Object.fromEntries(refusals.toReversed().map((refusal) => [checkOf(refusal), refusal])),
    ...rules,
  };
  const checks = DRY_RUN_CHECK_NAMES.map((name) => toCheck(name, found[name] ?? null));
  return {
    dryRun: true,
    ok: checks.every(({ ok }) => ok),
    checks,
    recipients: send.recipients.map(({ email, kind }) => {
      const code = refused.find((recipient) => recipient.email === email)?.code;
      return { email, kind, ok: code === undefined, ...(code === undefined ? {} : { code }) };
    }),
    message: toMessage(send, provenance),
    quota,
    approvalRequired: holdReasons.length > 0,
    reasons: [...holdReasons],
  };
}

/** The check that a fault of the content belongs to. */
function checkOf({ code, errors = [] }: Refusal): DryRunCheckName {
  if (code.startsWith('template_')) return 'template';
  if (code.startsWith('attachment_')) return 'attachments';
  return errors.some(({ path }) => path === 'scheduled_at') ? 'schedule' : 'content';
}

function toCheck(name: DryRunCheckName, refusal: Refusal | null): DryRun['checks'][number] {
  if (refusal === null) return { name, ok: true };
  const { code, detail, fix = ERRORS[code].fix } = refusal;
  return { name, ok: false, code, message: detail, fix };
}

function toMessage(
  { request, content, recipients }: ParsedSend,
  provenance: Examination['provenance'],
): DryRun['message'] {
  const addressesOf = (kind: string) =>
    recipients.filter((recipient) => recipient.kind === kind).map(({ email }) => email);
  return {
    from: request.from.given,
    to: addressesOf('to').join(', '),
    cc: addressesOf('cc'),
    bcc: addressesOf('bcc'),
    replyTo: request.reply_to?.given ?? null,
    subject: content.subject,
    html: content.html,
    text: content.text,
    headers: request.headers ?? {},
    attachments: content.attachments.map(({ filename, contentType, content, isUnfetched }) => ({
      filename,
      contentType,
      size: isUnfetched === true ? null : content.byteLength,
    })),
    ...provenance,
    tags: request.tags ?? [],
    metadata: request.metadata ?? {},
    template: content.template,
    scheduledAt: content.scheduledAt?.toISOString() ?? null,
  };
}
