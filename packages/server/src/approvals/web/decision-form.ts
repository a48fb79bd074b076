import { type newApprovalDecisionSchema, REJECT_CODES } from '@postrider/core';
import type { z } from 'zod';

/** A decision as the operation accepts it. */
export type GivenDecision = z.input<typeof newApprovalDecisionSchema>;

/** The decision in a form; null if it names none. What is wrong with its parts is found by the operation's schema. */
export function readDecisionForm(form: URLSearchParams): GivenDecision | null {
  const decision = form.get('decision');
  if (decision !== 'approve' && decision !== 'reject') return null;
  const note = form.get('note')?.trim() ?? '';
  const contentHash = form.get('contentHash') ?? '';
  const common = { ...(note === '' ? {} : { note }), ...(contentHash === '' ? {} : { contentHash }) };
  if (decision === 'approve') return { decision, ...common, ...(form.has('remember') ? { remember: true } : {}) };
  const code = form.get('rejectCode');
  const rejectCode = REJECT_CODES.find((one) => one === code);
  if (code !== null && rejectCode === undefined) return null;
  return { decision, ...common, ...(rejectCode === undefined ? {} : { rejectCode }) };
}
