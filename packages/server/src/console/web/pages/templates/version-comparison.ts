import { type Html, html } from '../../../../html/page-markup.ts';
import { ProblemError } from '../../../../problem.ts';
import { threadJob } from '../../../../threads/thread-job.ts';
import { textDiff } from '../../../../ui/components/text-diff.ts';
import type { PageRequest } from '../../page-request.ts';
import type { Content } from './template-content.ts';

interface Compared {
  readonly before: Content;
  readonly after: Content;
}

/** In a thread, because bodies can be large. */
/** @public The threads find a job by its exported name. */
export const CONTENT_COMPARISON = threadJob(
  import.meta.url,
  'CONTENT_COMPARISON',
  (compared: Compared): string => compare(compared).markup,
);

/** What differs between two contents of a template: lines, and words within them. */
export async function comparison(request: PageRequest, before: Content, after: Content): Promise<Html> {
  const { services, caller } = request;
  const compared = { before: partsOf(before), after: partsOf(after) };
  const size = [compared.before, compared.after].reduce(
    (sum, { html, text }) => sum + (html?.length ?? 0) + (text?.length ?? 0),
    0,
  );
  const result = await services.threads.run({ accountId: caller.accountId }, CONTENT_COMPARISON, compared, size);
  if (result.kind === 'done') return { markup: result.output };
  throw new ProblemError('unavailable', { detail: 'Too many texts are being compared right now.' });
}

const PARTS = [
  ['subject', 'Subject'],
  ['html', 'HTML'],
  ['text', 'Plain text'],
] as const;

function compare({ before, after }: Compared): Html {
  const changed = PARTS.filter(([name]) => before[name] !== after[name]);
  if (changed.length === 0) return html`<p class="soft">The content is the same.</p>`;
  return html`${changed.map(([name, title]) => html`<section class="stack-tight"><h3>${title}</h3>${describeAbsence(before[name], after[name])}${textDiff(before[name] ?? '', after[name] ?? '')}</section>`)}`;
}

/** A missing part and an empty one look the same in a difference. */
function describeAbsence(before: string | null, after: string | null): Html | null {
  if (before === null) return html`<p class="small soft">There was no such part before.</p>`;
  return after === null ? html`<p class="small soft">The part is removed.</p>` : null;
}

/** Only what is compared is sent to the thread. */
function partsOf({ subject, html, text }: Content): Content {
  return { subject, html, text };
}
