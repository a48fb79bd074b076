import type { MessageStatus } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { ID, sampleEvent, sampleMessage } from '../mcp/sample-messages.ts';
import { problem, type Reply, startScriptedServer } from '../sdk/scripted-server.ts';
import { KEY, runAgainst, runInProcess } from './run-in-process.ts';

const ACCEPTED: Reply = { status: 202, body: { id: ID, status: 'queued' } };
const SEND = ['send', '--from', 'app@example.com', '--to', 'ada@example.org', '--subject', 'Hello', '--text', 'Hi'];

function reading(status: MessageStatus): Reply {
  return { status: 200, body: sampleMessage({ status }) };
}

describe('send --wait', () => {
  it.each<[MessageStatus, number]>([
    ['sent', 0],
    ['delivered', 0],
    ['bounced', 12],
    ['complained', 12],
    ['failed', 12],
    ['suppressed', 12],
    ['rejected', 12],
    ['expired', 12],
    ['canceled', 12],
    ['pending_approval', 10],
  ])('exits with %s when the status is %i', async (status, expected) => {
    const { code, stdout } = await runAgainst([ACCEPTED, reading(status)], [...SEND, '--wait']);
    expect(code).toBe(expected);
    expect(JSON.parse(stdout)).toEqual(sampleMessage({ status }));
  });

  it('exits with 12 when the message is not delivered, and says why', { tags: ['contract-cli.exit-12'] }, async () => {
    const bounced = sampleMessage({
      status: 'bounced',
      events: [sampleEvent({ type: 'bounced', classification: 'hard', detail: '550 5.1.1 no such user' })],
    });
    const replies = [ACCEPTED, { status: 200, body: bounced }];
    const { code, stdout } = await runAgainst(replies, [...SEND, '--wait'], { columns: 80, env: { NO_COLOR: '1' } });
    expect(code).toBe(12);
    expect(stdout).toContain('status  bounced\nreason  hard  ada@example.org  550 5.1.1 no such user\n');
  });

  it('asks the server to wait at most 60 seconds at a time', {
    tags: ['contract-cli.wait'],
  }, async () => {
    const replies = [ACCEPTED, reading('delivered')];
    const urls = await Promise.all(
      [['--wait'], ['--wait', '7'], ['--wait', '300']].map(
        async (wait) => (await runAgainst(replies, [...SEND, ...wait])).received[1]?.url,
      ),
    );
    expect(urls).toEqual([`/emails/${ID}?wait=60`, `/emails/${ID}?wait=7`, `/emails/${ID}?wait=60`]);
  });

  it('continues while the message may still be delivered', async () => {
    const slowly = (status: MessageStatus) => ({ status: 200, body: sampleMessage({ status }), afterMs: 1_000 });
    const replies = [ACCEPTED, slowly('sending'), slowly('deferred'), reading('delivered')];
    const { code, received } = await runAgainst(replies, [...SEND, '--wait', '30']);
    expect(code).toBe(0);
    expect(received).toHaveLength(4);
  });

  it('exits with 11 when the time is up, and prints the last state', {
    tags: ['contract-cli.exit-11'],
  }, async () => {
    const { code, stdout, stderr } = await runAgainst(
      [ACCEPTED, ...Array(5).fill(reading('deferred'))],
      [...SEND, '--wait', '1'],
    );
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toMatchObject({ id: ID, status: 'deferred' });
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'wait_timed_out',
      status: null,
      fix: expect.stringContaining(ID),
    });
  });

  it('does not poll in a tight loop when a server does not wait', async () => {
    const { received } = await runAgainst([ACCEPTED, ...Array(50).fill(reading('queued'))], [...SEND, '--wait', '1']);
    expect(received.length).toBeLessThanOrEqual(4);
  });

  it('survives a read that fails temporarily', async () => {
    const replies = [ACCEPTED, 'reset' as const, reading('delivered')];
    expect((await runAgainst(replies, [...SEND, '--wait', '30'])).code).toBe(0);
  });

  it('exits immediately when the key may not read, and still prints the id', async () => {
    const { code, stdout, stderr } = await runAgainst([ACCEPTED, problem(403, 'missing_scope')], [...SEND, '--wait']);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toEqual({ id: ID, status: 'queued' });
    expect(JSON.parse(stderr)).toMatchObject({ code: 'missing_scope' });
  });

  it('does not wait for a message that is held', async () => {
    const held = { status: 202, body: { id: ID, status: 'pending_approval' } };
    const { code, received } = await runAgainst([held], [...SEND, '--wait']);
    expect(code).toBe(10);
    expect(received).toHaveLength(1);
  });

  it('treats a status from a later version as not final', async () => {
    const unknown = { status: 200, body: { ...sampleMessage(), status: 'parked' } };
    expect((await runAgainst([ACCEPTED, unknown, unknown], [...SEND, '--wait', '1'])).code).toBe(11);
  });

  it('prints the id when the user interrupts', async () => {
    await using server = await startScriptedServer([ACCEPTED, 'hang']);
    const interruption = new AbortController();
    const env = { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: server.baseUrl };
    const running = runInProcess([...SEND, '--wait'], { env, signal: interruption.signal });
    while (server.received.length < 2) await server.nextRequest();
    interruption.abort(new Error('interrupted'));
    const { code, stdout } = await running;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toEqual({ id: ID, status: 'queued' });
  });
});
