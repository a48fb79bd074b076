import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CapturedMail, readCaptured } from '../harness/captured-mail.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { type CallOptions, startTestApp, type TestApp } from '../harness/test-app.ts';

const ONE_CLICK = 'List-Unsubscribe=One-Click';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function headerOf(mail: CapturedMail | undefined, name: string): string | undefined {
  return mail?.parsed.headers.find(({ key }) => key === name)?.value;
}

describe('one-click unsubscribe', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  /** A delivered message that carries unsubscribe headers, as each recipient got it. */
  async function sendOne(subject: string, body: Readonly<Record<string, unknown>>) {
    const { body: sent } = await server.send({ subject, unsubscribe: true, ...body });
    await server.settled(sent.id);
    const mails = await readCaptured(server, subject);
    const links = mails.map((mail) => /<(.+)>/.exec(headerOf(mail, 'list-unsubscribe') ?? '')?.[1] ?? '');
    return { id: sent.id as string, mails, links, paths: links.map((link) => link.slice(server.baseUrl.length)) };
  }

  const post = (path: string, options: CallOptions = {}) =>
    server.call('POST', path, { key: null, headers: FORM, rawBody: ONE_CLICK, ...options });
  const get = (path: string) => server.call('GET', path, { key: null });
  const listed = async (email: string) =>
    (await server.call('GET', `/suppressions?email=${encodeURIComponent(email)}`)).body.suppressions;
  const readEvents = async (id: string) => {
    const { events } = (await server.call('GET', `/emails/${id}`)).body;
    return events.filter(({ type }: { type: string }) => type === 'unsubscribed');
  };

  it('suppresses the recipient of the posted link for the account, and records an event', {
    tags: ['suppressions.automatic', 'contract-messages.trail-type-unsubscribed'],
  }, async () => {
    const { id, paths } = await sendOne('Post', { to: ['Ann@example.com', 'ben@example.com'] });
    const response = await post(paths[0] ?? '');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.body).toContain('Ann@example.com');
    expect(await listed('ann@example.com')).toMatchObject([{ reason: 'unsubscribe', emailId: id, expiresAt: null }]);
    expect(await readEvents(id)).toMatchObject([{ recipient: 'Ann@example.com', classification: null }]);
    expectProblem(await server.send({ to: 'ann@example.com' }), 422, 'recipient_suppressed');
    expect((await server.send({ to: 'ben@example.com' })).status).toBe(202);
    const [row] = await server.database.sql`SELECT actor, action, details FROM audit_log ORDER BY seq DESC LIMIT 1`;
    expect(row).toMatchObject({ actor: 'recipient', action: 'suppression.added', details: { emailId: id } });
  });

  it('happens once, however often and fast it is requested, and again after the address was removed', async () => {
    const { id, paths } = await sendOne('Repeated', { to: 'cat@example.com' });
    const responses = await Promise.all(Array.from({ length: 8 }, () => post(paths[0] ?? '')));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const [first, ...others] = await listed('cat@example.com');
    expect([others, (await readEvents(id)).length]).toEqual([[], 1]);
    await server.call('DELETE', '/suppressions/cat@example.com');
    expect((await post(paths[0] ?? '')).status).toBe(200);
    const [second] = await listed('cat@example.com');
    expect(second.id).not.toBe(first.id);
    expect(await readEvents(id)).toHaveLength(2);
    const { events } = (await server.call('GET', `/emails/${id}`)).body;
    expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(events.map((_: unknown, index: number) => index + 1));
  });

  it('accepts the forms that mail services post, and rejects none because of a field', async () => {
    const boundary = 'x1';
    const multipart = `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`;
    const types = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    for (const [name, options] of [
      ['multipart', { headers: types, rawBody: multipart }],
      ['charset', { headers: { 'content-type': `${FORM['content-type']}; charset=UTF-8` } }],
      ['empty', { rawBody: '' }],
      ['other', { rawBody: 'anything=else' }],
    ] as const) {
      const { paths } = await sendOne(`Form ${name}`, { to: `form-${name}@example.com` });
      expect((await post(paths[0] ?? '', options)).status, name).toBe(200);
      expect(await listed(`form-${name}@example.com`), name).toHaveLength(1);
    }
    const { paths } = await sendOne('Bare', { to: 'bare@example.com' });
    expect((await server.call('POST', paths[0] ?? '', { key: null })).status).toBe(200);
    expect(await listed('bare@example.com')).toHaveLength(1);
  });

  it('is the only endpoint for forms: others, and other bodies there, are 415 or too large', async () => {
    const { paths } = await sendOne('Types', { to: 'types@example.com' });
    for (const path of ['/emails', '/suppressions']) {
      const response = await server.call('POST', path, { headers: FORM, rawBody: 'email=a%40b.co' });
      expectProblem(response, 415, 'unsupported_media_type');
    }
    const json = { headers: { 'content-type': 'application/json' }, rawBody: '{}' };
    expectProblem(await post(paths[0] ?? '', json), 415, 'unsupported_media_type');
    expectProblem(await post(paths[0] ?? '', { rawBody: 'x'.repeat(20_000) }), 413, 'payload_too_large');
    expect(await listed('types@example.com')).toEqual([]);
  });

  it('is safe to open: GET and HEAD show a page with a button, change nothing and run nothing (trust 34)', async () => {
    const { id, paths } = await sendOne('Looked at', { to: 'dan@example.com', from: 'D & D <dan@sandbox.test>' });
    const before = await server.database.sql`SELECT count(*) FROM message_events`;
    for (const prefix of ['', '/v1']) {
      const page = await get(`${prefix}${paths[0]}`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.body).toMatch(
        /<form method="post">.*<button type="submit" class="primary">Unsubscribe<\/button><\/form>/,
      );
      expect(page.body).toContain('<b>dan@example.com</b>');
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; style-src 'self'; img-src [^;]+; form-action 'self';/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.body).not.toMatch(/<script|https?:/i);
      expect((await server.call('HEAD', `${prefix}${paths[0]}`, { key: null })).status).toBe(200);
    }
    expect(await listed('dan@example.com')).toEqual([]);
    expect(await readEvents(id)).toEqual([]);
    expect(await server.database.sql`SELECT count(*) FROM message_events`).toEqual(before);
    expectProblem(await server.call('PUT', paths[0] ?? '', { key: null }), 405, 'method_not_allowed');
  });

  it('shows the sender as text, whatever its name contains', async () => {
    const { paths } = await sendOne('Escaped', {
      to: 'eve@example.com',
      from: '"<img src=x onerror=1>" <e@sandbox.test>',
    });
    const page = await get(paths[0] ?? '');
    expect(page.body).toContain('&lt;img src=x onerror=1&gt;');
    expect(page.body).not.toContain('<img');
  });

  it('returns a 404 page for links that were changed, forged or belong to a removed message', async () => {
    const { id, paths } = await sendOne('Gone', { to: 'fay@example.com' });
    const path = paths[0] ?? '';
    const middle = path.length - 30;
    const changed = `${path.slice(0, middle)}${path[middle] === 'A' ? 'B' : 'A'}${path.slice(middle + 1)}`;
    for (const wrong of [changed, path.slice(0, -1), '/u/x', `/u/${'A'.repeat(68)}`]) {
      for (const response of [await get(wrong), await post(wrong)]) {
        expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
        expect(response.body).toContain('This link does not work');
      }
    }
    await server.database.sql`DELETE FROM messages WHERE id = ${id}`;
    expect([(await get(path)).status, (await post(path)).status]).toEqual([404, 404]);
    expect(await listed('fay@example.com')).toEqual([]);
  });

  it('is an event of a test address, which is never suppressed', {
    tags: ['contract-test-addresses.never-suppressed'],
  }, async () => {
    const { id, paths } = await sendOne('Test address', { to: 'delivered+out@sandbox.test' });
    for (const _ of [1, 2]) expect((await post(paths[0] ?? '')).status).toBe(200);
    expect(await readEvents(id)).toMatchObject([{ recipient: 'delivered+out@sandbox.test' }]);
    expect(await listed('delivered+out@sandbox.test')).toEqual([]);
  });

  it('cancels pending deliveries to that recipient too, and outlives a temporary suppression', async () => {
    const { paths } = await sendOne('Waiting', { to: 'gus@example.com' });
    const expiresAt = new Date(server.clock.now().getTime() + 1_800_000).toISOString();
    const later = await server.send({ to: 'gus@example.com', scheduled_at: 'PT1H' });
    await server.call('POST', '/suppressions', { body: { email: 'gus@example.com', expiresAt } });
    await post(paths[0] ?? '');
    expect(await listed('gus@example.com')).toMatchObject([{ reason: 'unsubscribe', expiresAt: null }]);
    server.clock.advance(3_601_000);
    await server.pump();
    expect((await server.settled(later.body.id)).body.status).toBe('suppressed');
  });

  it('works when only the role api runs', async () => {
    const { paths } = await sendOne('Elsewhere', { to: 'hal@example.com' });
    const api = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'api' } });
    expect((await api.call('POST', paths[0] ?? '', { key: null, headers: FORM, rawBody: ONE_CLICK })).status).toBe(200);
    await api.close();
    expect(await listed('hal@example.com')).toHaveLength(1);
  });
});
