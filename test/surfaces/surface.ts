import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Postrider, PostriderError } from '@postrider/sdk';
import { runInProcess } from '../cli/run-in-process.ts';
import type { TestApp } from '../harness/test-app.ts';

/** What came of a call, in one form for every way to call: the response's body, or the problem it was refused with. */
export type Outcome =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: Readonly<Record<string, unknown>> };

export interface SendBody {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly cc?: readonly string[];
  readonly bcc?: readonly string[];
}

/** One way to reach the same server. */
export interface Surface {
  readonly name: string;
  send(key: string, body: SendBody, idempotencyKey?: string): Promise<Outcome>;
  get(key: string, id: string): Promise<Outcome>;
  list(
    key: string,
    query: { readonly limit: number; readonly cursor?: string; readonly status?: string },
  ): Promise<Outcome>;
}

export function surfacesOf(server: TestApp): readonly Surface[] {
  return [rest(server), sdk(server), mcp(server), cli(server)];
}

function rest(server: TestApp): Surface {
  const call = async (method: string, path: string, key: string, body?: unknown, headers = {}): Promise<Outcome> => {
    const response = await server.call(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
    return response.status < 400 ? { ok: true, body: response.body } : { ok: false, problem: response.body };
  };
  return {
    name: 'REST',
    send: (key, body, idempotencyKey) =>
      call('POST', '/emails', key, body, idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    get: (key, id) => call('GET', `/emails/${encodeURIComponent(id)}`, key),
    list: (key, query) =>
      call(
        'GET',
        `/emails?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`,
        key,
      ),
  };
}

function sdk({ baseUrl }: TestApp): Surface {
  const client = (apiKey: string) => new Postrider({ apiKey, baseUrl, maxRetries: 0 });
  const outcome = async (call: Promise<object>): Promise<Outcome> => {
    try {
      return { ok: true, body: { ...(await call) } };
    } catch (error) {
      if (!(error instanceof PostriderError)) throw error;
      const { code, status, detail, fix, retryable, requestId } = error;
      return { ok: false, problem: { ...asRecord(error.body), code, status, detail, fix, retryable, requestId } };
    }
  };
  return {
    name: 'the SDK',
    send: (key, { to, cc, bcc, ...body }, idempotencyKey) => {
      const copies = { ...(cc === undefined ? {} : { cc: [...cc] }), ...(bcc === undefined ? {} : { bcc: [...bcc] }) };
      return outcome(client(key).emails.send({ ...body, to: [...to], ...copies }, { idempotencyKey }));
    },
    get: (key, id) => outcome(client(key).emails.get(id)),
    // The caller's status is one of the enumeration's names.
    list: (key, query) =>
      outcome(
        client(key)
          .emails.list(query as { limit: number })
          .then(({ data, total, totalIsEstimate, nextCursor }) => ({
            messages: data,
            total,
            totalIsEstimate,
            nextCursor,
          })),
      ),
  };
}

function mcp({ baseUrl }: TestApp): Surface {
  const callTool = async (key: string, name: string, given: Record<string, unknown>): Promise<Outcome> => {
    const client = new Client({ name: 'test', version: '0.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }));
      const result = await client.callTool({ name, arguments: given });
      const { notes: _, error, ...body } = asRecord(result.structuredContent);
      return result.isError === true ? { ok: false, problem: asRecord(error) } : { ok: true, body };
    } finally {
      await client.close();
    }
  };
  return {
    name: 'MCP',
    send: (key, body, idempotencyKey) =>
      callTool(key, 'send_email', {
        ...body,
        ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      }),
    get: (key, id) => callTool(key, 'get_email', { id }),
    list: (key, query) => callTool(key, 'list_emails', query),
  };
}

function cli({ baseUrl }: TestApp): Surface {
  const run = async (key: string, argv: readonly string[]): Promise<Outcome> => {
    const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: baseUrl };
    const { code, stdout, stderr } = await runInProcess([...argv, '--json'], { env });
    return code === 0 ? { ok: true, body: JSON.parse(stdout) } : { ok: false, problem: JSON.parse(stderr) };
  };
  return {
    name: 'the CLI',
    send: (key, { from, to, cc = [], bcc = [], subject, text }, idempotencyKey) => {
      const copies = [
        ...to.flatMap((one) => ['--to', one]),
        ...cc.flatMap((one) => ['--cc', one]),
        ...bcc.flatMap((one) => ['--bcc', one]),
      ];
      const again = idempotencyKey === undefined ? [] : ['--idempotency-key', idempotencyKey];
      return run(key, ['send', '--from', from, ...copies, '--subject', subject, '--text', text, ...again]);
    },
    get: (key, id) => run(key, ['emails', 'get', id]),
    list: (key, { limit, cursor, status }) => {
      const filters = [
        ...(cursor === undefined ? [] : ['--cursor', cursor]),
        ...(status === undefined ? [] : ['--status', status]),
      ];
      return run(key, ['emails', 'list', '--limit', String(limit), ...filters]);
    },
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
