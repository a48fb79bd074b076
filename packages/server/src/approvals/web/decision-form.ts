import { type FieldProblem, type newApprovalDecisionSchema, REJECT_CODES } from '@postrider/core';
import type { z } from 'zod';

/** A decision as the operation accepts it. */
export type GivenDecision = z.input<typeof newApprovalDecisionSchema>;

/** What a form must say besides, in the words for its fields. The API needs neither: programs read what they decide, and give reasons as they like. */
export function findFormFaults({ decision, contentHash, rejectCode }: GivenDecision): readonly FieldProblem[] {
  return [
    ...(contentHash === undefined ? [UNSHOWN] : []),
    ...(decision === 'reject' && rejectCode === undefined
      ? [{ path: 'rejectCode', code: 'required', message: 'Choose a reason. The sender will see it.' }]
      : []),
  ];
}

/** A decision is about the content that was shown. */
export const UNSHOWN: FieldProblem = {
  path: 'contentHash',
  code: 'required',
  message: 'The form does not say which content was shown.',
};

/** Two fields, because a form can have both: the reason of a rejection must never be sent with an approval. */
export const NOTE_FIELDS = { approve: 'note', reject: 'rejectNote' } as const;

/** The decision in a form; null if it names none. What is wrong with its parts is found by the operation's schema. */
export function readDecisionForm(form: URLSearchParams): GivenDecision | null {
  const decision = form.get('decision');
  if (decision !== 'approve' && decision !== 'reject') return null;
  const note = form.get(NOTE_FIELDS[decision])?.trim() ?? '';
  const contentHash = form.get('contentHash') ?? '';
  const common = { ...(note === '' ? {} : { note }), ...(contentHash === '' ? {} : { contentHash }) };
  if (decision === 'approve') return { decision, ...common, ...(form.has('remember') ? { remember: true } : {}) };
  const code = form.get('rejectCode') || null;
  const rejectCode = REJECT_CODES.find((one) => one === code);
  if (code !== null && rejectCode === undefined) return null;
  return { decision, ...common, ...(rejectCode === undefined ? {} : { rejectCode }) };
}
