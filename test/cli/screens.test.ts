import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type DrivenTerminal, startInTerminal } from '../harness/terminal.ts';
import { ID, sampleEvent, sampleMessage, sampleRecord } from '../mcp/sample-messages.ts';
import { keepScreen } from './keep-screen.ts';
import { KEY } from './run-in-process.ts';

const USUAL = { columns: 80, rows: 24 };
/** Addresses have ports of four or five digits, which must not change where lines wrap. */
const WIDE_COLUMNS = 160;
const AT = '2026-01-31T09:00:00.000Z';
const INTERRUPT = '\u0003';

const afterwards = useCleanUps();

type Stage = (path: string, response: ServerResponse, request: IncomingMessage) => unknown;

/** A server with fixed responses. */
async function setStage(stage: Stage): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const body = stage(new URL(request.url ?? '', 'http://stage').pathname, response, request);
    if (body !== undefined) response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server that listens has no other kind of address.
}

function open(argv: readonly string[], baseUrl: string, columns = USUAL.columns): DrivenTerminal {
  return startInTerminal(argv, {
    ...{ columns, rows: USUAL.rows },
    env: { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: baseUrl, NO_COLOR: '1' },
  });
}

/** Replaces what differs in every run: ports, response times and fractions of a second. */
function steady(screen: string): string {
  return screen
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:8025')
    .replace(/in \d+ ms/g, 'in 3 ms')
    .replace(/in \d s/g, 'in 2 s');
}

function keep(terminal: DrivenTerminal, name: string): Promise<void> {
  return keepScreen(terminal, name, steady);
}

describe('the screen of', () => {
  it('send --wait shows what happened to the message', async () => {
    const bounced = sampleMessage({
      status: 'bounced',
      recipients: [{ email: 'ada@example.org', kind: 'to', status: 'bounced' }],
      events: [
        sampleEvent({ seq: 1, type: 'queued', recipient: null, detail: null }),
        sampleEvent({
          ...{ seq: 2, type: 'bounced', classification: 'hard' },
          detail: '550 5.1.1 No such \u001b[31muser\u001b]0;owned\u0007',
        }),
      ],
    });
    const baseUrl = await setStage((_, response, { method }) => {
      if (method === 'GET') return bounced;
      response.statusCode = 202;
      return { id: ID, status: 'queued' };
    });
    const message = ['--from', 'app@example.com', '--to', 'ada@example.org', '--subject', 'Hello', '--text', 'Hi'];
    await using terminal = open(['send', ...message, '--wait'], baseUrl);
    expect(await terminal.ended).toBe(12);
    await terminal.shows(`emails get ${ID}`);
    await keep(terminal, 'send-wait');
  });

  it('tail prints a line for each message, whatever its subject contains', async () => {
    const first = sampleRecord({ id: 'm1', subject: 'Grüße 你好 👩‍👩‍👧' });
    const second = sampleRecord({ id: 'm2', status: 'bounced', subject: 'Two\r\nlines \u001b[2Jand \u202eback' });
    let looks = 0;
    const baseUrl = await setStage(() => {
      looks += 1;
      const messages = looks === 1 ? [first] : [second, first];
      return { messages, total: messages.length, totalIsEstimate: false, nextCursor: null };
    });
    await using terminal = open(['tail', '--interval', '1'], baseUrl);
    await terminal.shows(/Two lines and back$/);
    await keep(terminal, 'tail');
    terminal.type(INTERRUPT);
    expect(await terminal.ended).toBe(130);
  });

  it('webhooks listen shows the secret, each event and the program’s response', async () => {
    const SECRET = `whsec_${Buffer.from('the secret of this listener.....').toString('base64')}`;
    const event = (id: string, type: string, data: object) => {
      const payload = JSON.stringify({ id, type, createdAt: AT, apiVersion: 'v1', data });
      return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ headers: { 'webhook-id': id }, payload })}\n\n`;
    };
    const baseUrl = await setStage((path, response, request) => {
      if (path === '/hooks') {
        response.statusCode = request.headers['webhook-id'] === 'evt_2' ? 500 : 204;
        response.end();
        // One after the other, so that the lines stand in one order.
        if (request.headers['webhook-id'] === 'evt_1')
          stream?.write(event('evt_2', 'domain.degraded', { name: 'mail.example.com' }));
        return undefined;
      }
      response.setHeader('content-type', 'text/event-stream; charset=utf-8');
      response.write(`retry: 1000\nevent: ready\ndata: ${JSON.stringify({ secret: SECRET })}\n\n`);
      response.write(event('evt_1', 'email.bounced', { recipient: 'ada@example.org' }));
      stream = response;
      return undefined;
    });
    let stream: ServerResponse | null = null;
    await using terminal = open(['webhooks', 'listen', '--forward-to', `${baseUrl}/hooks`], baseUrl, WIDE_COLUMNS);
    await terminal.shows(/500 in \d+ ms {2}mail\.example\.com$/);
    await keep(terminal, 'webhooks-listen');
    terminal.type(INTERRUPT);
    expect(await terminal.ended).toBe(130);
  });

  it('domains verify --watch redraws in place, and ends with the response alone', async () => {
    const VALUE = `v=DKIM1; k=rsa; p=${'MIIB'.repeat(98)}`;
    const record = (
      purpose: string,
      type: string,
      host: string,
      value: string,
      status: string,
      reason: string | null,
    ) => ({
      ...{ purpose, type, name: host, host, value, priority: type === 'MX' ? 10 : null, ttl: 3600, required: true },
      ...{ status, reason, found: [], checkedAt: AT },
    });
    const domain = (status: string) => {
      const found = status === 'verified' ? 'pass' : 'fail';
      const reason = status === 'verified' ? null : 'Nothing is published there yet.';
      return {
        ...{ id: ID, name: 'mail.example.com', status, statusReason: null, dkimSelector: 'pr1' },
        records: [
          record('dkim', 'TXT', 'pr1._domainkey.mail.example.com', VALUE, 'pass', null),
          record('spf', 'TXT', 'bounce.mail.example.com', 'v=spf1 a:mx.example.net -all', found, reason),
          record('mx', 'MX', 'bounce.mail.example.com', 'mx.example.net', found, reason),
        ],
        ...{ createdAt: AT, verifiedAt: null, lastCheckedAt: AT },
      };
    };
    let isPublished = false;
    const baseUrl = await setStage(() => domain(isPublished ? 'verified' : 'pending'));
    await using terminal = open(['domains', 'verify', ID, '--watch'], baseUrl);
    await terminal.shows('stops only this watch.');
    await keep(terminal, 'domains-verify-watch');
    isPublished = true;
    await terminal.shows('are accepted.');
    expect(await terminal.ended).toBe(0);
    await keep(terminal, 'domains-verify-watch-end');
  });

  it('stats draws bars', async () => {
    const base = { sent: 2_000, delivered: 1_800, bounced: 170, complained: 1 };
    const rates = { deliveryRate: 90, bounceRate: 8.5, complaintRate: 0.05 };
    const stats = {
      ...{ window: '14d', ...base, ...rates },
      bounces: { hard: 150, soft: 20, block: 0, spam: 0, unknown: 0 },
      opens: { tracked: 1_000, opened: 250, openRate: 25 },
    };
    const baseUrl = await setStage(() => stats);
    await using terminal = open(['stats', '--bounces', '--engagement'], baseUrl);
    expect(await terminal.ended).toBe(0);
    await terminal.shows(/opened .*█{6}$/);
    await keep(terminal, 'stats');
  });

  it('doctor says what is wrong and how to fix it', async () => {
    const baseUrl = await setStage((path, response) => {
      response.setHeader('connection', 'close');
      if (path === '/health') return { status: 'ok', version: '0.1.0' };
      response.statusCode = path === '/health/ready' ? 503 : 401;
      if (path === '/health/ready') return { status: 'unavailable', checks: { database: 'ok', queue: 'is stuck' } };
      const problem = { type: 'about:blank', title: 'Invalid key', status: 401, code: 'invalid_key', retryable: false };
      response.setHeader('content-type', 'application/problem+json');
      return { ...problem, detail: 'The key was revoked.', fix: 'Make another one.', requestId: 'req-1' };
    });
    await using terminal = open(['doctor'], baseUrl);
    expect(await terminal.ended).toBe(8);
    await terminal.shows('the server is 0.1.0.');
    await keep(terminal, 'doctor');
  });
});
