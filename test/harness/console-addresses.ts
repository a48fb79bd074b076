import type { ConsoleIds } from './console-world.ts';

/** Real ids for the parameters of a path, by the path up to them. */
type Parameters = readonly (readonly [
  prefix: string,
  (ids: ConsoleIds) => Readonly<Record<string, readonly string[]>>,
])[];

/** Messages whose pages are opened: they differ by their outcome. */
const MESSAGES = 3;
/** Enough where only a part of the record is shown. */
const ADDRESSES_BELOW = 2;

/** What a page cannot do without. */
const QUERIES: Readonly<Record<string, string>> = { '/console/templates/:id/compare': '?from=1&to=2' };

/** The first prefix that fits counts. */
const PARAMETERS: Parameters = [
  [
    '/console/messages/:id',
    ({ messages, scheduled }) => ({ id: [...messages.slice(0, MESSAGES), scheduled], index: ['0'] }),
  ],
  ['/console/approvals/drafts/:template', ({ draftSlug }) => ({ template: [draftSlug], version: ['1'] })],
  // Only decided holds have a receipt.
  ['/console/approvals/:id/receipt', ({ holds }) => ({ id: holds.slice(1) })],
  ['/console/approvals/:id', ({ holds }) => ({ id: holds, index: ['0'] })],
  ['/console/domains/:id', ({ domain }) => ({ id: [domain] })],
  ['/console/templates/:id', ({ template, draft }) => ({ id: [template, draft], version: ['1'] })],
  ['/console/suppressions/:id', ({ suppression }) => ({ id: [suppression] })],
  [
    '/console/webhooks/:id',
    ({ webhook, delivery }) => ({ id: [webhook], delivery: [delivery], deliveryId: [delivery] }),
  ],
  ['/console/keys/:id', ({ key, revokedKey }) => ({ id: [key, revokedKey] })],
  ['/console/team/:id', ({ member }) => ({ id: [member] })],
  ['/console/tickets/:id', ({ ticket }) => ({ id: [ticket] })],
  ['/console/requests/:id', ({ request }) => ({ id: [request] })],
  ['/console/mailbox/:id', ({ captured }) => ({ id: [captured], index: ['0'] })],
  ['/console/programs/:id', ({ program }) => ({ id: [program] })],
  ['/console/settings/sessions/:id', ({ session }) => ({ id: [session] })],
];

/**
 * The addresses of a path with real ids: one for each id of its first parameter, or for two of them if the path goes on. Empty if the parameters are unknown: add them to the list
 * above.
 */
export function addressesOf(path: string, ids: ConsoleIds): readonly string[] {
  if (!path.includes(':')) return [path];
  const values = PARAMETERS.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1](ids) ?? {};
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const [first = '', ...others] = names;
  if (others.some((name) => values[name]?.[0] === undefined)) return [];
  const rest = others.reduce((filled, name) => filled.replace(`:${name}`, values[name]?.[0] ?? ''), path);
  const query = QUERIES[path] ?? '';
  const given = values[first] ?? [];
  return given
    .slice(0, countOf(path, first, others.length > 0 || query !== ''))
    .map((id) => `${rest.replace(`:${first}`, encodeURIComponent(id))}${query}`);
}

/** Only the first of the ids has all parts. */
function countOf(path: string, first: string, isPart: boolean): number {
  if (isPart) return 1;
  return path.endsWith(`:${first}`) ? Number.POSITIVE_INFINITY : ADDRESSES_BELOW;
}
