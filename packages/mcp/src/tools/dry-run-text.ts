import type { DryRun } from '@postrider/core';
import type { ObjectSchema } from '../tool-schemas.ts';
import { toOneLine } from '../untrusted-text.ts';

const ROWS = { type: 'array', items: { type: 'object' } };

export const RECIPIENTS_OUTPUT = { ...ROWS, description: 'Each with email, kind, ok, and a code if refused.' };

export const QUOTA_OUTPUT = { type: 'object', description: 'limit, used, cost' };

export const NOTES_OUTPUT = {
  notes: { type: 'array', items: { type: 'string' } },
  error: { type: 'object' },
};

/** Written by hand: the whole schema of a dry run would cost more than the tool may. */
export const DRY_RUN_OUTPUT: ObjectSchema = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    wouldHold: { type: 'boolean' },
    reasons: { type: 'array', items: { type: 'string' } },
    checks: { ...ROWS, description: 'Failed ones have code, message and fix.' },
    recipients: RECIPIENTS_OUTPUT,
    message: { type: 'object', description: 'What would be sent, rendered.' },
    quota: QUOTA_OUTPUT,
    ...NOTES_OUTPUT,
  },
};

/** The failed checks, each with what to do. */
export function checkRows(checks: DryRun['checks']): string[] {
  return checks
    .filter(({ ok }) => !ok)
    .map(({ name, code = '', message = '', fix = '' }) =>
      toOneLine(`- ${name} (${code}): ${message}${fix === '' ? '' : ` Fix: ${fix}`}`),
    );
}

/** The recipients that would be refused, and why. */
export function refusedRows(recipients: DryRun['recipients']): string[] {
  return recipients
    .filter(({ ok }) => !ok)
    .map(({ kind, email, code = '' }) => toOneLine(`- ${kind} ${email}: ${code}`));
}
