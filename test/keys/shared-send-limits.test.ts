import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Made {
  readonly id: string;
  readonly key: string;
}

describe('the send limit of a key that creates keys', () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  const limit = (hour: number) => ({ sendLimit: { hour } });
  const make = async (maker: Made | null, fields: Fields): Promise<Made> => {
    const body = { name: 'Key', scopes: ['sending', 'keys:write', 'keys:read'], ...fields };
    const response = maker
      ? await server.call('POST', '/keys', { key: maker.key, body })
      : await owner.call('POST', '/keys', { body });
    expect([response.status, response.body.detail ?? '']).toEqual([201, '']);
    return response.body;
  };
  const send = ({ key }: Made) => server.send({}, { key });
  const change = (id: string, body: Fields) => owner.call('PATCH', `/keys/${id}`, { body });
  const left = async ({ key }: Made) => (await server.call('GET', '/keys/self', { key })).body.sendsLeft;

  it('counts what its keys send, and what their keys send', { tags: ['holes.shared-limits'] }, async () => {
    const first = await make(null, limit(3));
    const second = await make(first, limit(3));
    const third = await make(second, limit(3));
    expect(await left(third)).toEqual({ hour: 3, day: null });
    for (const one of [third, second, first]) expect((await send(one)).status).toBe(202);
    for (const one of [first, second, third, await make(first, limit(1))]) {
      const response = await send(one);
      expectProblem(response, 429, 'send_limit_reached');
      expect(await left(one)).toEqual({ hour: 0, day: null });
    }
    expect((await send(third)).body.detail).toContain('The key that made this one may send 3 messages an hour');
  });

  it('is exact while many keys of one creator send in parallel, alone and in batches', {
    tags: ['holes.shared-limits'],
  }, async () => {
    const first = await make(null, limit(10));
    const keys = await Promise.all(Array.from({ length: 8 }, () => make(first, limit(10))));
    const emails = Array.from({ length: 3 }, () => ({
      ...{ from: 'a@sandbox.test', to: 'a@example.com', subject: 'Hi', text: 'Hi' },
    }));
    const responses = await Promise.all(
      keys.flatMap(({ key }) => [
        server.send({}, { key }).then(({ status }) => (status === 202 ? 1 : 0)),
        server.call('POST', '/emails/batch', { key, body: { emails } }).then(({ body }) => body.accepted as number),
      ]),
    );
    expect(responses.reduce((sum, sent) => sum + sent, 0)).toBe(10);
    const [row] = await server.database.sql`
      SELECT count(*)::int AS count FROM messages WHERE key_id = ANY (${keys.map(({ id }) => id)}::uuid[])`;
    expect(row?.['count']).toBe(10);
  });

  it('counts a resend that one of its keys requests once, even when it created both keys', {
    tags: ['holes.shared-limits'],
  }, async () => {
    const first = await make(null, limit(2));
    const [issuer, caller] = [await make(first, limit(2)), await make(first, limit(2))];
    const { id } = (await send(issuer)).body;
    expect(await left(first)).toEqual({ hour: 1, day: null });
    const resend = () => server.call('POST', `/emails/${id}/resend`, { key: caller.key });
    expect((await resend()).status).toBe(202);
    expect(await left(first)).toEqual({ hour: 0, day: null });
    expectProblem(await resend(), 429, 'send_limit_reached');
  });

  it('applies to keys that were created before it was set, and after they are edited or rotated', {
    tags: ['holes.shared-limits'],
  }, async () => {
    const first = await make(null, {});
    const second = await make(first, {});
    expect((await send(second)).status).toBe(202);
    expect((await change(first.id, limit(1))).status).toBe(200);
    expect(await left(second)).toEqual({ hour: 1, day: null });
    expect((await send(second)).status).toBe(202);
    expectProblem(await send(second), 429, 'send_limit_reached');
    const rotated = (await server.call('POST', `/keys/${second.id}/rotate`, { key: second.key, body: {} })).body;
    expectProblem(await send(rotated), 429, 'send_limit_reached');
    expect((await change(second.id, { sendLimit: null, name: 'Edited' })).status).toBe(200);
    expectProblem(await send(rotated), 429, 'send_limit_reached');
  });

  it('applies to keys whose creator was revoked', { tags: ['holes.shared-limits'] }, async () => {
    const first = await make(null, limit(1));
    const [one, other] = [await make(first, limit(1)), await make(first, limit(1))];
    expect((await owner.call('DELETE', `/keys/${first.id}`)).status).toBe(200);
    expect((await send(one)).status).toBe(202);
    expectProblem(await send(other), 429, 'send_limit_reached');
  });

  it('stops a key of a creator that is now limited from creating one without a limit', {
    tags: ['holes.shared-limits'],
  }, async () => {
    const first = await make(null, {});
    const second = await make(first, {});
    await change(first.id, limit(5));
    const body = { name: 'Key', scopes: ['emails:send'] };
    const response = await server.call('POST', '/keys', { key: second.key, body });
    expectProblem(response, 403, 'permission_escalation');
    expect(response.body.detail).toContain('sendLimit');
  });

  it('hides from a limited key the secrets of keys that do not count against its limit', {
    tags: ['holes.shared-limits'],
  }, async () => {
    const limited = await make(null, limit(1));
    const [own, other] = [await make(limited, limit(1)), await make(null, limit(1))];
    const rotate = (caller: Made, { id }: Made) =>
      server.call('POST', `/keys/${id}/rotate`, { key: caller.key, body: {} });
    for (const caller of [limited, own]) {
      const response = await rotate(caller, other);
      expectProblem(response, 403, 'permission_escalation');
      expect(response.body.detail).toContain('sendLimit');
    }
    expect((await rotate(limited, own)).status).toBe(200);
    expect((await rotate(limited, limited)).status).toBe(200);
  });

  it('is checked by the statement that accepts a send: it also counts when set after the key was read', {
    tags: ['holes.shared-limits'],
  }, async () => {
    const first = await make(null, {});
    const keys = await Promise.all(Array.from({ length: 4 }, () => make(first, {})));
    for (const one of keys) expect((await send(one)).status).toBe(202);
    await server.database.sql`UPDATE api_keys SET hourly_sends = 1 WHERE id = ${first.id}`;
    const responses = await Promise.all(keys.map(send));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([202, 429, 429, 429]);
  });
});
