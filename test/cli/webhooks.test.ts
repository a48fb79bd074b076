import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@postrider/sdk';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readServerSentEvents } from '../../packages/cli/src/webhooks/read-server-sent-events.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type Finished, KEY, runAgainst, runInProcess, type Terminal } from './run-in-process.ts';

type TextListener = NonNullable<Terminal['onStderr']>;

const afterwards = useCleanUps();
const SECRET = `whsec_${Buffer.from('the secret of this listener.....').toString('base64')}`;

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server that listens has no other kind of address.
}

/** `2026-01-31 09:00:00 UTC` */
const TIME_COLUMNS = 23;

const READY = `retry: 1000\nevent: ready\ndata: ${JSON.stringify({ secret: SECRET })}\n\n`;

function eventText(id: string, type: string, data: object = { recipient: 'ada@example.org' }): string {
  const at = new Date();
  const payload = JSON.stringify({ id, type, createdAt: at.toISOString(), apiVersion: 'v1', data });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign(id, at, payload),
  };
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ headers, payload })}\n\n`;
}

/** A server whose streams are these texts in turn, a request each; what was asked of it. The last one stays open. */
async function serveStreams(...streams: readonly string[]) {
  const asked: IncomingMessage[] = [];
  const baseUrl = await serve((request, response: ServerResponse) => {
    asked.push(request);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(streams[asked.length - 1] ?? READY);
    if (asked.length < streams.length) response.end();
  });
  return { asked, env: { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: baseUrl } };
}

/** A developer's program, with what it was sent. */
async function startReceiver(status = 204) {
  const caught: { readonly headers: IncomingMessage['headers']; readonly body: string; readonly url?: string }[] = [];
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    caught.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), url: request.url ?? '' });
    response.writeHead(status).end('taken');
  });
  return { caught, url };
}

/** Runs until so many lines were written to stdout, then interrupts. */
async function listen(argv: string, lines: number, terminal: Terminal): Promise<Finished> {
  const interruption = new AbortController();
  let written = '';
  const finished = await runInProcess(`webhooks listen ${argv}`.trim().split(' '), {
    ...terminal,
    signal: interruption.signal,
    onStdout: (text) => {
      written += text;
      if (written.split('\n').length > lines) interruption.abort(new Error('interrupted'));
    },
  });
  expect(finished.code).toBe(130);
  return finished;
}

describe('postrider webhooks list', () => {
  it('shows enough of each URL in a narrow terminal', async () => {
    const row = { status: 'enabled', events: [], createdAt: '2026-01-31T09:00:00.000Z' };
    const webhooks = [
      { ...row, id: '01980d3c-7a52-7c31-9d5e-2f0c6a1b4e01', url: 'https://hooks.example.com/a', failingSince: null },
      {
        ...row,
        id: '01980d3c-7a53-7c31-9d5e-2f0c6a1b4e01',
        url: `https://hooks.example.com/${'b'.repeat(60)}`,
        failingSince: '2026-01-31T09:00:00.000Z',
      },
    ];
    const page = { status: 200, body: { webhooks, total: 2, totalIsEstimate: false, nextCursor: null } };
    const { stdout } = await runAgainst([page], ['webhooks', 'list'], { columns: 60, env: { NO_COLOR: '1' } });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'URL                                   STATE    ID',
      'https://hooks.example.com/a           enabled  01980d3c-7a52',
      'https://hooks.example.com/bbbbbbbbb…  failing  01980d3c-7a53',
    ]);
  });
});

describe('postrider webhooks listen', () => {
  it('posts each event byte for byte, and shows the program’s response', { tags: ['webhooks.stream'] }, async () => {
    const { env, asked } = await serveStreams(
      `${READY}${eventText('e1', 'email.sent', { subject: 'Grüße 😀' })}${eventText('e2', 'email.bounced')}`,
    );
    const { caught, url } = await startReceiver();
    const flags = `--forward-to ${url}/hooks --events email.sent,email.bounced --events email.opened --no-json`;
    const { stdout, stderr } = await listen(flags, 2, { env });
    expect(asked.map(({ url: path }) => path)).toEqual([
      '/webhooks/stream?events=email.sent%2Cemail.bounced%2Cemail.opened',
    ]);
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(stderr).toBe(`Listening, forwarding to ${url}/hooks. Signing secret: ${SECRET} (Ctrl-C to stop)\n`);
    // Sorted by what follows the time, which can differ by a second.
    const lines = stdout.split('\n').sort((a, b) => a.slice(TIME_COLUMNS).localeCompare(b.slice(TIME_COLUMNS)));
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^\d{4}-\S+ \S+ UTC {2}email\.bounced {11}e2 {2}→ 204 in \d+ ms {2}ada@example\.org$/),
      expect.stringMatching(/^\d{4}-\S+ \S+ UTC {2}email\.sent {14}e1 {2}→ 204 in \d+ ms$/),
    ]);
    expect(caught.map((each) => each.url)).toEqual(['/hooks', '/hooks']);
    for (const { body, headers } of caught) {
      expect(verifyWebhook(body, headers, SECRET)).toMatchObject({ id: headers['webhook-id'] });
    }
  });

  it('breaks notices and events between words in a narrow terminal', async () => {
    const id = '01980d3c-7a52-7c31-9d5e-2f0c6a1b4e01';
    const { env } = await serveStreams(`${READY}${eventText(id, 'email.bounced')}`);
    const { url } = await startReceiver();
    const terminal = { env: { ...env, NO_COLOR: '1' }, columns: 60 };
    const { stdout, stderr } = await listen(`--forward-to ${url}/hooks`, 1, terminal);
    const [head, ...details] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^\d\d-\d\d \S+Z {2}email\.bounced$/);
    expect(details).toEqual([
      expect.stringMatching(new RegExp(`^    ${id.slice(0, 13)}  → 204 in \\d+ ms  ada@example\\.org$`)),
    ]);
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.length > 60)).toEqual([]);
  });

  it('prints one JSON document per line, with or without a program to forward to', async () => {
    const { env } = await serveStreams(`${READY}${eventText('e1', 'email.sent')}`);
    const { url } = await startReceiver(500);
    const { stdout } = await listen(`--json --forward-to ${url}`, 1, { env });
    expect(JSON.parse(stdout)).toMatchObject({
      event: { id: 'e1', type: 'email.sent' },
      headers: { 'webhook-id': 'e1' },
      forwarded: { to: `${url}/`, statusCode: 500, error: null, durationMs: expect.any(Number) },
    });
    const alone = await serveStreams(`${READY}${eventText('e2', 'email.sent')}`);
    expect(JSON.parse((await listen('', 1, { env: alone.env })).stdout)).toMatchObject({ forwarded: null });
  });

  it('reports when no program accepts the events, and continues', async () => {
    const { env } = await serveStreams(`${READY}${eventText('e1', 'email.sent')}`, READY);
    const { url } = await startReceiver(500);
    const dead = await listen('--forward-to localhost:9 --no-json', 1, { env });
    expect(dead.stdout).toContain('✗ nothing listens there');
    expect(
      (await listen(`--forward-to ${url} --no-json`, 1, await serveStreams(`${READY}${eventText('e', 'a')}`))).stdout,
    ).toContain('✗ 500 in');
  });

  it('reconnects after the last event when the connection breaks, and says so', async () => {
    const { env, asked } = await serveStreams(
      `${READY}${eventText('e1', 'email.sent')}`,
      `${READY}: nothing happened\n\n${eventText('e2', 'email.delivered')}`,
    );
    const { stdout, stderr } = await listen('--json', 2, { env });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).event.id),
    ).toEqual(['e1', 'e2']);
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e1']);
    expect(stderr.split('\n').slice(1)).toEqual([
      'Connection lost. The server ended the stream. Reconnecting in 1 s.',
      'Reconnected.',
      '',
    ]);
  });

  it('exits when the server rejects the call or is not reachable at the start', async () => {
    const baseUrl = await serve((_, response) => {
      const problem = {
        type: 'about:blank',
        title: 'x',
        status: 403,
        detail: 'No scope.',
        code: 'missing_scope',
        fix: 'x',
      };
      response.writeHead(403, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
    });
    const env = { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: baseUrl };
    const { code, stdout, stderr } = await runInProcess(['webhooks', 'listen'], { env });
    expect([code, stdout, JSON.parse(stderr).code]).toEqual([4, '', 'missing_scope']);
    const nowhere = { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: 'http://127.0.0.1:9' };
    expect((await runInProcess(['webhooks', 'listen', '--print-secret'], { env: nowhere })).code).toBe(8);
  });

  it('prints only the secret with --print-secret, for scripts', async () => {
    const { env } = await serveStreams(READY);
    const listen = ['webhooks', 'listen', '--print-secret'];
    // As in `$(…)`: without a terminal, where every other command prints JSON.
    for (const argv of [listen, [...listen, '--no-json']]) {
      const { code, stdout, stderr } = await runInProcess(argv, { env });
      expect([code, stdout, stderr], argv.join(' ')).toEqual([0, `${SECRET}\n`, '']);
    }
    const { stdout } = await runInProcess([...listen, '--json'], { env });
    expect(JSON.parse(stdout)).toEqual({ secret: SECRET });
  });

  it('accepts only addresses to forward to', async () => {
    for (const address of ['ftp://x/', 'http://user:pw@localhost/', 'http://']) {
      const { code } = await runInProcess(['webhooks', 'listen', '--forward-to', address], { env: {} });
      expect(code, address).toBe(2);
    }
  });
});

describe('server-sent events', () => {
  async function readAll(chunks: AsyncIterable<Uint8Array>) {
    const found = [];
    for await (const event of readServerSentEvents(chunks)) found.push(event);
    return found;
  }

  async function* pieces(text: string, length: number) {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  }

  it('are parsed whatever their line endings are and wherever the network splits them', async () => {
    const text = [
      ': hello',
      'id: 1',
      'event: a',
      'data: ü',
      'data:  two',
      '',
      'data',
      '',
      'id',
      'data:x',
      '',
      'event: none',
      '',
      'data: lost',
    ];
    const expected = [
      { id: '1', event: 'a', data: 'ü\n two' },
      { id: '1', event: 'message', data: '' },
      { id: '', event: 'message', data: 'x' },
    ];
    for (const end of ['\n', '\r\n', '\r']) {
      for (const length of [1, 2, 3, 7, 1_000]) {
        expect(await readAll(pieces(text.join(end), length)), `${length}`).toEqual(expected);
      }
    }
  });

  it('are abandoned when one has no end', async () => {
    await expect(readAll(pieces(`data: ${'x'.repeat(5_000_000)}`, 1_000_000))).rejects.toThrow('without an end');
  });
});

describe('postrider webhooks', () => {
  let server: TestApp;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await startTestApp();
    env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
  });
  afterAll(() => server.close());

  it('creates an endpoint, and lists, repeats and counts its deliveries', async () => {
    const { caught, url } = await startReceiver();
    const run = (argv: string) => runInProcess(`webhooks ${argv}`.split(' '), { env });
    const made = await run(`create ${url}/hooks --events webhook.test --no-json`);
    expect(made.stdout).toMatch(/^secret +whsec_\S+$/m);
    expect(made.stderr).toBe('The secret is shown only once. Save it now.\n');
    const id = /^id +(\S+)$/m.exec(made.stdout)?.[1] ?? '';
    expect((await run('list --no-json')).stdout).toMatch(
      new RegExp(`^${url}/hooks  enabled  webhook.test .*${id}$`, 'm'),
    );
    const { eventId } = JSON.parse((await run(`test ${id}`)).stdout);
    await expect.poll(() => caught.length, { timeout: 10_000 }).toBe(1);
    const list = async () => (await run(`deliveries ${id} --event-id ${eventId} --no-json`)).stdout;
    await expect.poll(list, { timeout: 10_000 }).toMatch(/ webhook\.test +1 +succeeded +204 /);
    const since = new Date(Date.now() - 60_000).toISOString();
    expect(JSON.parse((await run(`replay ${id} --since ${since} --dry-run`)).stdout)).toEqual({ wouldQueue: 1 });
    expect(JSON.parse((await run(`replay ${id} --since ${since} --status succeeded`)).stdout)).toEqual({ queued: 1 });
    await expect.poll(() => caught.length, { timeout: 10_000 }).toBe(2);
    expect(caught[1]?.headers['webhook-id']).toBe(eventId);
    expect((await run(`delete ${id}`)).code).toBe(0);
  });

  it('listens to a real server, and forwards what trigger causes', { tags: ['webhooks.stream'] }, async () => {
    const { caught, url } = await startReceiver();
    const secret = (await runInProcess(['webhooks', 'listen', '--print-secret', '--no-json'], { env })).stdout.trim();
    let hasTriggered = false;
    const ready: TextListener = (text) => {
      if (hasTriggered || !text.startsWith('Listening')) return;
      hasTriggered = true;
      void trigger('email.bounced');
    };
    const flags = `--forward-to ${url}/hooks --events email.bounced --json`;
    const { stdout } = await listen(flags, 1, { env, onStderr: ready });
    const { event, forwarded } = JSON.parse(stdout);
    expect([event.type, event.data.classification, forwarded.statusCode]).toEqual(['email.bounced', 'hard', 204]);
    expect(verifyWebhook(caught[0]?.body ?? '', caught[0]?.headers ?? {}, secret)).toEqual(event);
  });

  const trigger = (argv: string) => runInProcess(`webhooks trigger ${argv}`.split(' '), { env });

  it('trigger causes a real event by a send to the matching test address', async () => {
    const { code, stdout } = await trigger('email.bounced');
    const { type, emailId } = JSON.parse(stdout);
    expect([code, type]).toEqual([0, 'email.bounced']);
    const { body } = await server.call('GET', `/emails/${emailId}`);
    expect(body).toMatchObject({ to: 'bounced+trigger@sandbox.test', channel: 'sdk' });
    const canceled = JSON.parse((await trigger('email.canceled')).stdout);
    const { body: gone } = await server.call('GET', `/emails/${canceled.emailId}`);
    expect(gone.events.map((event: { type: string }) => event.type)).toEqual(['queued', 'scheduled', 'canceled']);
    expect((await trigger('email.sent --no-json')).stdout).toMatch(/^Sent \S+ to trigger email\.sent\.\n$/);
  });

  it('trigger posts a sample event of any type to a local program', async () => {
    const { caught, url } = await startReceiver();
    const { code, stdout } = await trigger(`approval.requested --forward-to ${url}/hooks`);
    const answer = JSON.parse(stdout);
    expect([code, answer.ok, answer.delivered, answer.statusCode]).toEqual([0, true, true, 204]);
    const [request] = caught;
    expect(request?.url).toBe('/hooks');
    const event = verifyWebhook(request?.body ?? '', request?.headers ?? {}, answer.secret);
    expect(event).toMatchObject({ type: 'approval.requested', data: { status: 'pending' } });
    const human = await trigger(`domain.failed --forward-to ${url} --no-json`);
    expect(human.stdout).toMatch(/accepted domain\.failed: 204 in \d+ ms\.\n$/);
    expect(human.stderr).toBe(`Signing secret: ${answer.secret}\n`);
  });

  it('trigger posts it itself when the server leaves that to the client', async () => {
    const production = await startTestApp({ settings: { POSTRIDER_MODE: 'production', POSTRIDER_ROLES: 'api' } });
    const { caught, url } = await startReceiver();
    const elsewhere = { POSTRIDER_API_KEY: production.key, POSTRIDER_BASE_URL: production.baseUrl };
    const argv = ['webhooks', 'trigger', 'email.opened', '--forward-to', url];
    const { code, stdout } = await runInProcess(argv, { env: elsewhere });
    await production.close();
    const answer = JSON.parse(stdout);
    expect([code, answer.ok, answer.statusCode]).toEqual([0, true, 204]);
    expect(verifyWebhook(caught[0]?.body ?? '', caught[0]?.headers ?? {}, answer.secret)).toMatchObject({
      type: 'email.opened',
    });
  });

  it('trigger reports the problem: an error from the program, no program, an unknown or untriggerable type', async () => {
    const { url } = await startReceiver(500);
    const refused = await trigger(`email.sent --forward-to ${url}`);
    expect([refused.code, JSON.parse(refused.stderr).code]).toEqual([12, 'not_taken']);
    expect(JSON.parse(refused.stderr).detail).toContain('it returned 500');
    expect((await trigger('email.sent --forward-to http://localhost:9')).code).toBe(12);
    const unknown = await trigger(`email.exploded --forward-to ${url}`);
    expect([unknown.code, JSON.parse(unknown.stderr).code]).toEqual([6, 'validation_failed']);
    const uncaused = await trigger('domain.failed');
    expect([uncaused.code, JSON.parse(uncaused.stderr).fix]).toEqual([2, expect.stringContaining('--forward-to')]);
  });
});
