import { type DryRun, findOperation, type OperationById, type OperationOutput } from '@postrider/core';
import { present, refuse } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema } from '../tool-schemas.ts';
import { NOTES_OUTPUT, QUOTA_OUTPUT, RECIPIENTS_OUTPUT, refusedRows } from './dry-run-text.ts';
import { asDryRun } from './preview-email.ts';

const operation = findOperation('emails.send');

/** Checks only the recipients, with a dry run without content. */
export function checkRecipientsTool(entry: SurfaceEntry): Tool {
  return defineTool({
    entry,
    input: () => ({ ...toolInputSchema(entry), required: ['to'] }),
    output: () => ({
      type: 'object',
      properties: {
        ok: { type: 'boolean', description: 'Whether every recipient would be accepted, and the quota is sufficient.' },
        recipients: RECIPIENTS_OUTPUT,
        quota: QUOTA_OUTPUT,
        ...NOTES_OUTPUT,
      },
    }),
    run: async (given, { invoke, signal }) => {
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const own = await invoke('keys.self', { params: {}, query: {}, headers: {}, body: undefined }, { signal });
      if (!own.ok) return refuse(own.problem);
      // The operation returns its declared type; the sandbox domain is always among the domains.
      const [domain = ''] = (own.body as OperationOutput<OperationById<'keys.self'>>).sendingDomains;
      const body = { ...toObject(placed.input.body), from: `check@${domain}`, subject: 'check', text: 'check' };
      const result = await invoke(operation.id, asDryRun({ ...placed.input, body }), { signal });
      if (!result.ok) return refuse(result.problem);
      const { recipients, quota } = result.body as DryRun; // A dry run returns one.
      const ok = recipients.every((recipient) => recipient.ok) && quota.used + quota.cost <= quota.limit;
      return present({ record: { ok, recipients, quota }, structuredNotes: [], toText: describeRecipients });
    },
  });
}

function toObject(body: unknown): object {
  return typeof body === 'object' && body !== null ? body : {};
}

function describeRecipients({ ok, recipients, quota }: Pick<DryRun, 'ok' | 'recipients' | 'quota'>): string {
  const fine = recipients.filter((recipient) => recipient.ok).map(({ email }) => email);
  return [
    ok ? 'All would be accepted.' : 'Not all would be accepted.',
    ...(fine.length > 0 ? [`Accepted: ${fine.join(', ')}`] : []),
    ...refusedRows(recipients),
    `They use ${quota.cost} of ${Math.max(0, quota.limit - quota.used)} recipients left this month.`,
  ].join('\n');
}
