import { type DryRun, findOperation, type PlacedInput } from '@postrider/core';
import { BODY_OFFSET, isOffset, offsetProblem } from '../body-offset.ts';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema } from '../tool-schemas.ts';
import { checkRows, DRY_RUN_OUTPUT, refusedRows } from './dry-run-text.ts';
import { bodyRows, labelRows, line, partRows } from './message-text.ts';

const operation = findOperation('emails.send');

const ADVICE = 'Nothing was sent. Call send_email with the same arguments to send it.';

/** The dry run of a send: whether it would be accepted or held and why, and what would be sent. */
export function previewEmailTool(entry: SurfaceEntry): Tool {
  return defineTool({
    entry,
    input: () => toolInputSchema(entry, { body_offset: BODY_OFFSET }),
    output: () => DRY_RUN_OUTPUT,
    run: async ({ body_offset: bodyOffset = 0, ...given }, { invoke, signal }) => {
      if (!isOffset(bodyOffset)) return refuse(offsetProblem());
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const result = await invoke(operation.id, asDryRun(placed.input), { signal });
      if (!result.ok) return refuse(result.problem);
      const { dryRun: _dryRun, approvalRequired, ...preview } = result.body as DryRun; // A dry run returns one.
      return present({
        record: { ...preview, wouldHold: approvalRequired },
        bodyOffset,
        bodyTool: entry.tool,
        structuredNotes: [ADVICE, UNTRUSTED_NOTE],
        toText: describePreview,
      });
    },
  });
}

export function asDryRun(input: PlacedInput): PlacedInput {
  const body = typeof input.body === 'object' && input.body !== null ? input.body : {};
  return { ...input, body: { ...body, dry_run: true } };
}

type Preview = Omit<DryRun, 'dryRun' | 'approvalRequired'> & { readonly wouldHold: boolean };

function describePreview(preview: Preview, untrusted: (text: string) => string): string {
  const { ok, wouldHold, reasons, checks, recipients, message, quota } = preview;
  return [
    ok ? `Would be ${wouldHold ? `held: ${reasons.join('; ')}` : 'accepted'}. ${ADVICE}` : 'Would be refused.',
    ...checkRows(checks),
    ...refusedRows(recipients),
    `Uses ${quota.cost} of ${Math.max(0, quota.limit - quota.used)} recipients left this month.`,
    ...line('Scheduled for', message.scheduledAt),
    untrusted(
      [
        ...line('From', message.from),
        ...line('To', message.to),
        ...line('Cc', message.cc.join(', ')),
        ...line('Bcc', message.bcc.join(', ')),
        ...line('Reply-To', message.replyTo),
        ...line('Subject', message.subject),
        ...labelRows(message),
        ...partRows(message),
        ...bodyRows(message),
      ].join('\n'),
    ),
  ].join('\n');
}
