import { type Html, html } from '../../html/page-markup.ts';
import { notice } from '../../ui/components/surfaces.ts';
import { withCode } from '../../ui/components/with-code.ts';
import { withQuery } from './page-address.ts';
import type { PageForm } from './page-form.ts';

/** What a parameter of a page's address may be: any text, a text that may be repeated, or one of these values. */
type QueryRule = 'text' | 'list' | readonly string[];

/** The parameters of a page's address: its filters, the place in its list, and what it shows. */
export type PageQuery = Readonly<Record<string, QueryRule>>;

/** Parameters that may be any text: the page passes them to an operation, which checks them. */
export function texts(names: readonly string[]): PageQuery {
  return Object.fromEntries(names.map((name) => [name, 'text']));
}

export interface QueryFaults {
  /** What is wrong, each as a sentence. */
  readonly sentences: readonly string[];
  /** The address of the page without it. */
  readonly rest: string;
}

export const QUERY_FAULTS_TITLE = 'The address is not valid';

/** Finds what a page would ignore in its address: a list must not look filtered when it is not. Null if there is nothing. */
export function findQueryFaults(path: string, accepted: PageQuery, query: PageForm): QueryFaults | null {
  const names = [...new Set(query.entries().map(([name]) => name))];
  const checked = names.map((name) => {
    const values = query.all(name);
    const rule = Object.hasOwn(accepted, name) ? accepted[name] : undefined;
    return { name, values, fault: faultOf(rule, shortened(name), values) };
  });
  const sentences = checked.flatMap(({ fault }) => fault ?? []);
  if (sentences.length === 0) return null;
  const kept = checked.filter(({ fault }) => fault === null).map(({ name, values }) => [name, values] as const);
  return { sentences: sentences.slice(0, MAX_SENTENCES), rest: withQuery(path, Object.fromEntries(kept)) };
}

/** Says what is wrong, and links to the page without it. */
export function queryFaultsNotice({ sentences: [first = '', ...others], rest }: QueryFaults): Html {
  const link = html`<a href="${rest}">Open the page without ${others.length === 0 ? 'it' : 'them'}</a>`;
  return notice('bad', withCode(first), html`${others.map((one) => html`${withCode(one)} `)}${link}`);
}

const MAX_SENTENCES = 20;
const MAX_NAME_CHARACTERS = 60;

function faultOf(rule: QueryRule | undefined, name: string, values: readonly string[]): string | null {
  if (rule === undefined) return `The address has a filter that this page does not have: \`${name}\`.`;
  if (rule === 'list') return null;
  if (values.length > 1) return `The address has the filter \`${name}\` more than once.`;
  const [value = ''] = values;
  if (rule === 'text' || value === '' || rule.includes(value)) return null;
  return `The filter \`${name}\` in the address must be one of: ${rule.map((one) => `\`${one}\``).join(', ')}.`;
}

/** Backticks would end the code. */
function shortened(name: string): string {
  const cut = name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name;
  return cut.replaceAll('`', '');
}
