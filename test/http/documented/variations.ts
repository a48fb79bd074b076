import type { Operation } from '@postrider/core';
import type { SeededRandom } from '../../harness/seeded-random.ts';
import type { WantedRequest } from './http-exchange.ts';
import type { ValidRequest } from './valid-request.ts';

/** A request in the making: what the operation wants, and what a variation makes of it. */
export interface Draft {
  readonly operation: Operation;
  readonly given: ValidRequest;
  /** Parameters that name things of another account. */
  readonly foreign: Readonly<Record<string, string>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly random: SeededRandom;
}

type Change = Partial<WantedRequest> & {
  readonly params?: Readonly<Record<string, string>>;
  /** Appended as it is. */
  readonly search?: string;
  readonly json?: unknown;
};

/** What it makes of a request; null where it does not apply to the operation. */
type Variation = (draft: Draft) => Change | null;

const BAD_IDS = [
  'x',
  '0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a',
  'a%00b',
  '%F0%9F%93%AE',
  'a'.repeat(600),
  '-1',
  "';--",
] as const;
const WRONG_VALUES = [null, 0, -1, 1.5, true, '', 'x', '\u0000', [], [[]], {}, { a: 1 }, 'é'.repeat(3_000)] as const;
const HUGE_BYTES = String(200 * 1_024 * 1_024);

const writes = ({ operation }: Draft) => operation.method !== 'GET';
const json = { 'content-type': 'application/json' } as const;
const raw =
  (headers: Readonly<Record<string, string>>, body: string | Buffer): Variation =>
  (draft) =>
    writes(draft) ? { headers, body } : null;
const mcp =
  (message: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}): Variation =>
  ({ operation }) =>
    operation.id === 'service.mcp' ? { json: { jsonrpc: '2.0', ...message }, headers } : null;
const accept =
  (type: string): Variation =>
  () => ({ headers: { accept: type } });

export const VARIATIONS: Readonly<Record<string, Variation>> = {
  valid: () => ({}),
  'under /v1': ({ operation }) => ({ path: `/v1${operation.path === '/' ? '' : operation.path}` }),
  HEAD: (draft) => (writes(draft) ? null : { method: 'HEAD' }),
  'a missing field': (draft) =>
    changeBody(draft, (body, name) => Object.fromEntries(Object.entries(body).filter(([one]) => one !== name))),
  'a wrong type': (draft) => changeBody(draft, (body, name) => ({ ...body, [name]: draft.random.pick(WRONG_VALUES) })),
  'another body': (draft) => (writes(draft) ? { json: draft.random.pick(WRONG_VALUES) } : null),
  'an extra field': (draft) => changeBody(draft, (body) => ({ ...body, surplus: 1 })),
  'no body': raw({}, ''),
  'an empty JSON body': raw(json, ''),
  'a text body': raw({ 'content-type': 'text/plain' }, 'hello'),
  'a form': raw({ 'content-type': 'application/x-www-form-urlencoded' }, 'a=1&b=2'),
  'a body of no type': raw({}, '{}'),
  'another charset': raw({ 'content-type': 'application/json; charset=utf-16' }, '{}'),
  'a compressed body': raw({ ...json, 'content-encoding': 'gzip' }, Buffer.from([31, 139, 8, 0])),
  'malformed JSON': raw(json, '{"a":'),
  'bytes that are no UTF-8': raw(json, Buffer.from([0x7b, 0xff, 0x7d])),
  'deep JSON': raw(json, '['.repeat(500) + ']'.repeat(500)),
  'a huge body': (draft) => (writes(draft) ? { headers: { ...json, 'content-length': HUGE_BYTES }, body: '{' } : null),
  'a body with GET': (draft) => (writes(draft) ? null : { headers: json, body: '{"a":1}' }),
  'an unknown query parameter': () => ({ search: 'surplus=1' }),
  'a repeated query parameter': ({ operation, random }) => {
    const names = Object.keys(operation.query?.shape ?? {});
    const [first, ...others] = names;
    const name = first === undefined ? 'limit' : random.pick([first, ...others]);
    return { search: `${name}=1&${name}=1` };
  },
  'a wrong query value': ({ operation, random }) => {
    const [first, ...others] = Object.keys(operation.query?.shape ?? {});
    if (first === undefined) return null;
    return {
      search: `${random.pick([first, ...others])}=${random.pick(['', '-1', 'x', '99999999999', '%00', '%FF', 'null'])}`,
    };
  },
  'a bad id': ({ operation, given, random }) =>
    operation.params === undefined ? null : { params: { ...given.params, ...anyParam(operation, random) } },
  "another account's ids": ({ foreign }) => (foreign === undefined ? null : { params: foreign }),
  'a wrong header': ({ operation, random }) => {
    const [first, ...others] = Object.keys(operation.headers?.shape ?? {});
    if (first === undefined) return null;
    return { headers: { [random.pick([first, ...others])]: random.pick(['', 'x'.repeat(300), '\u00ff', ' ']) } };
  },
  'an MCP notification': mcp({ method: 'notifications/initialized' }),
  'an unknown MCP method': mcp({ id: 1, method: 'nothing/known' }),
  'an unknown MCP revision': mcp({ id: 1, method: 'tools/list' }, { 'mcp-protocol-version': '1999-01-01' }),
  'accepts HTML': accept('text/html'),
  'accepts plain text': accept('text/plain'),
  'accepts JSON': accept('application/json'),
  'accepts event streams': accept('text/event-stream'),
  'accepts nothing served': accept('image/png'),
  'comes from another origin': () => ({ headers: { origin: 'https://evil.example' } }),
};

/** The request that a variation makes; null where it does not apply. */
export function toRequest(variation: string, draft: Draft): (WantedRequest & { readonly json: unknown }) | null {
  const change = VARIATIONS[variation]?.(draft) ?? null;
  if (change === null) return null;
  const { operation, given } = draft;
  const body = 'json' in change ? change.json : given.body;
  const written = change.body ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    method: change.method ?? operation.method,
    path: withQuery(
      fill(change.path ?? operation.path, { ...given.params, ...change.params }),
      given.query,
      change.search,
    ),
    headers: {
      ...(change.body === undefined && written !== undefined ? json : {}),
      ...given.headers,
      ...draft.headers,
      ...change.headers,
    },
    ...(written === undefined ? {} : { body: written }),
    json: change.body === undefined ? body : undefined,
  };
}

function changeBody(
  { given, random }: Draft,
  change: (body: Readonly<Record<string, unknown>>, name: string) => unknown,
): Change | null {
  if (typeof given.body !== 'object' || given.body === null) return null;
  const body = given.body as Readonly<Record<string, unknown>>;
  const [first, ...others] = Object.keys(body);
  return { json: change(body, first === undefined ? 'surplus' : random.pick([first, ...others])) };
}

function anyParam({ params }: Operation, random: SeededRandom): Record<string, string> {
  const [first = 'id', ...others] = Object.keys(params?.shape ?? {});
  return { [random.pick([first, ...others])]: random.pick(BAD_IDS) };
}

/** What fixtures give is a plain value; bad ids are encoded already, so that they can be wrong in that too. */
function fill(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:([a-zA-Z]+)/g, (_, name: string) => params[name]?.replaceAll('@', '%40') ?? 'x');
}

function withQuery(path: string, query: Readonly<Record<string, string>> = {}, search?: string): string {
  const text = [new URLSearchParams(query).toString(), search ?? ''].filter((part) => part !== '').join('&');
  return text === '' ? path : `${path}?${text}`;
}
