import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';

let server: TestApp;
let owner: TestSession;

beforeAll(async () => {
  server = await startTestApp();
  owner = await signInAs(server, 'owner@sandbox.test');
});
afterAll(() => server.close());

type Fields = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

const get = (path: string, session = owner): Promise<TestResponse> => session.call('GET', `/console${path}`);

const post = (path: string, fields: Fields = {}, session = owner): Promise<TestResponse> =>
  session.call('POST', `/console${path}`, {
    rawBody: new URLSearchParams(
      isList(fields) ? fields.map(([name, value]) => [name, value]) : { ...fields },
    ).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

function isList(fields: Fields): fields is readonly (readonly [string, string])[] {
  return Array.isArray(fields);
}

const place = ({ status, headers }: TestResponse) => [status, headers.get('location')];

/** The page after a redirect, with the notice of what was done, which is shown once. */
async function follow(response: TestResponse): Promise<string> {
  const notice = response.headers.getSetCookie().find((line) => line.startsWith('console-notice='));
  const cookie = [owner.cookie, notice?.slice(0, notice.indexOf(';'))].filter(Boolean).join('; ');
  const page = await server.call('GET', response.headers.get('location') ?? '', { key: null, headers: { cookie } });
  if (notice !== undefined) expect(page.headers.getSetCookie().join()).toContain('console-notice=; Max-Age=0');
  return page.body;
}

describe('suppressions', () => {
  it('are added and removed, and the page says what was done', {
    tags: ['console.configure.suppressions'],
  }, async () => {
    const added = await post('/suppressions/add', {
      emails: 'a@list.example\nb@list.example',
      note: 'Asked <b>us</b>',
    });
    expect(place(added)).toEqual([303, '/console/suppressions']);
    const page = await follow(added);
    expect(page).toContain('2 addresses were added to the list.');
    expect(page).toContain('Asked &lt;b&gt;us&lt;/b&gt;');
    const { body } = await server.call('GET', '/suppressions/a@list.example');
    expect(place(await post(`/suppressions/${body.id}/remove`, { note: 'wants mail' }))).toEqual([
      303,
      '/console/suppressions',
    ]);
    expect((await server.call('GET', '/suppressions/a@list.example')).status).toBe(404);
  });

  it('keep what was typed when it is refused, with the fault at its field', {
    tags: ['console.configure.refused'],
  }, async () => {
    const refused = await post('/suppressions/add', { emails: 'not an address', note: 'kept "note"' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('not an address');
    expect(refused.body).toContain('kept &quot;note&quot;');
    expect(refused.body).toContain('id="emails-fault"');
  });
});

describe('API keys', () => {
  const agent = {
    ...{
      name: 'Agent <1>',
      mode: 'live',
      access: 'sending',
      approvalMode: 'policy',
      firstContact: 'true',
      hasBcc: 'true',
    },
    ...{
      recipientAllowlist: '@acme.example\nada@sandbox.test',
      hour: '5',
      day: '20',
      rateLimit: '60',
      agentName: 'Agent',
      source: 'agent',
    },
  };

  it('are previewed in sentences before anything exists', { tags: ['console.configure.keys'] }, async () => {
    const before = (await server.call('GET', '/keys')).body.total;
    const preview = await post('/keys/create', { ...agent, action: 'preview' });
    expect(preview.status).toBe(200);
    expect(preview.body).toContain('anyone at acme.example');
    expect(preview.body).toContain('at most 5 an hour and 20 a day');
    expect(preview.body).toContain('value="Agent &lt;1&gt;"');
    expect((await server.call('GET', '/keys')).body.total).toBe(before);
  });

  it('show their secret once, in no address, and are changed, paused, rotated and revoked', {
    tags: ['console.configure.keys'],
  }, async () => {
    const created = await post('/keys/create', { ...agent, action: 'create' });
    const [secret = ''] = /pr_live_\w+/.exec(created.body) ?? [];
    const self = (await server.call('GET', '/keys/self', { key: secret })).body;
    expect(self).toMatchObject({
      ...{ name: 'Agent <1>', approvalMode: 'policy', sendLimit: { hour: 5, day: 20 }, rateLimit: 60 },
      ...{
        recipientAllowlist: ['@acme.example', 'ada@sandbox.test'],
        persona: { agentName: 'Agent', source: 'agent' },
      },
      holdWhen: expect.objectContaining({ firstContact: true, hasBcc: true, hasAttachments: false }),
    });
    const path = `/keys/${self.id}`;
    expect((await get(path)).body).not.toContain(secret);
    // The form of a stored key, sent back unchanged, changes nothing.
    const form = (await get(`${path}/edit`)).body as string;
    expect(place(await post(`${path}/edit`, fieldsOf(form)))).toEqual([303, `/console${path}`]);
    const same = (await server.call('GET', `/keys/${self.id}`)).body;
    expect(same).toMatchObject({
      scopes: self.scopes,
      holdWhen: self.holdWhen,
      recipientAllowlist: self.recipientAllowlist,
      sendLimit: self.sendLimit,
    });
    await post(`${path}/pause`);
    expect((await server.call('GET', `/keys/${self.id}`)).body.pausedAt).not.toBeNull();
    await post(`${path}/resume`);
    const rotated = await post(`${path}/rotate`, { graceSeconds: '0' });
    const [next = ''] = /pr_live_\w+/.exec(rotated.body) ?? [];
    expect([next.length, next === secret]).toEqual([secret.length, false]);
    await post(`${path}/revoke`);
    expect((await server.call('GET', '/keys/self', { key: next })).status).toBe(401);
  });

  it('need a rule if some messages are to wait', { tags: ['console.configure.keys'] }, async () => {
    const fields = { name: 'No rule', mode: 'live', access: 'sending', approvalMode: 'policy', action: 'create' };
    const refused = await post('/keys/create', fields);
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('Tick at least one rule');
  });

  it('keep the whole form when they are refused', { tags: ['console.configure.refused'] }, async () => {
    const refused = await post('/keys/create', { ...agent, recipientAllowlist: 'nonsense', action: 'create' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('nonsense');
    expect(refused.body).toMatch(/name="firstContact"[^>]* checked/);
  });
});

describe('the team', () => {
  it('is invited, changed and removed; a refusal is shown on the page', {
    tags: ['console.configure.team'],
  }, async () => {
    expect(await follow(await post('/team', { email: 'new@acme.example', role: 'viewer' }))).toContain(
      'new@acme.example was invited.',
    );
    const { members } = (await owner.call('GET', '/team')).body;
    const id = members.find(({ email }: { email: string }) => email === 'new@acme.example').id;
    expect(await follow(await post(`/team/${id}/role`, { role: 'approver' }))).toContain('is now approver');
    expect(await follow(await post(`/team/${id}/remove`))).toContain('was removed from the team');
    const last = await post(`/team/${owner.user.memberId}/remove`);
    expect(last.status).toBe(422);
    expect(last.body).toContain('role="alert"');
  });
});

describe('the roles on the page of the team', () => {
  it('say who decides held messages', { tags: ['console.configure.team'] }, async () => {
    const { body } = await owner.call('GET', '/console/team');
    const sections = [...body.matchAll(/<h3>(\w+)<\/h3><ul[^>]*>(.*?)<\/ul>/gs)];
    const deciding = sections.filter(([, , words]) => words?.includes('Approve and reject held messages'));
    expect(deciding.map(([, role]) => role)).toEqual(['Owner', 'Admin', 'Approver']);
  });
});

describe('settings', () => {
  it('are saved, and sending is paused and resumed', { tags: ['console.configure.settings'] }, async () => {
    await post('/settings', { name: 'Acme & Sons', trackOpens: 'true' });
    expect((await server.call('GET', '/account')).body).toMatchObject({
      name: 'Acme & Sons',
      trackOpens: true,
      trackClicks: false,
    });
    await post('/settings/pause');
    expect((await server.send()).body.code).toBe('sending_paused');
    await post('/settings/resume');
    expect((await server.send()).status).toBe(202);
  });

  it('delete the account only for its name, and keep it again', { tags: ['console.configure.settings'] }, async () => {
    await post('/settings/delete', { confirm: 'Something else' });
    expect((await server.call('GET', '/account')).body.deletionScheduledAt).toBeNull();
    await post('/settings/delete', { confirm: 'Acme & Sons' });
    expect((await server.call('GET', '/account')).body.deletionScheduledAt).not.toBeNull();
    await post('/settings/keep');
    expect((await server.call('GET', '/account')).body.deletionScheduledAt).toBeNull();
  });

  it('show and end the user’s sessions', { tags: ['console.configure.settings'] }, async () => {
    const other = await signInAs(server, 'owner@sandbox.test');
    const { sessions } = (await other.call('GET', '/auth/sessions')).body;
    const { id } = sessions.find(({ current }: { current: boolean }) => current);
    expect(await follow(await post(`/settings/sessions/${id}/end`))).toContain('The session has ended.');
    expect((await other.call('GET', '/auth/session')).body.authenticated).toBe(false);
  });
});

describe('support, requests and the audit log', () => {
  it('ask support about a request, and show what was attached', { tags: ['console.configure.tickets'] }, async () => {
    const form = await get('/tickets/new?requestId=req-42');
    expect(form.body).toContain('value="req-42"');
    const refused = await post('/tickets/new', { subject: 'Why', body: ' ' });
    expect([refused.status, refused.body.includes('value="Why"')]).toEqual([422, true]);
    const sent = await post('/tickets/new', { subject: 'Why <i>late</i>?', body: 'It was late.', requestId: 'req-42' });
    const page = await follow(sent);
    expect(page).toContain('Why &lt;i&gt;late&lt;/i&gt;?');
    expect(page).toContain('/console/requests/req-42');
    const path = (sent.headers.get('location') ?? '').slice('/console'.length);
    expect(await follow(await post(path, { body: 'More details.' }))).toContain('More details.');
  });

  it('name who did what, and filter it', { tags: ['console.configure.audit'] }, async () => {
    const { body } = await get('/audit?action=suppression');
    expect(body).toContain('Suppression added');
    expect(body).not.toContain('Member invited');
    expect((await get('/audit?from=nonsense')).status).toBe(422);
  });

  it('show a request by its id', { tags: ['console.configure.requests'] }, async () => {
    const sent = await server.send({}, { headers: { 'x-request-id': 'console-test-1' } });
    expect(sent.status).toBe(202);
    await server.call('GET', '/requests');
    expect(place(await get('/requests?id=console-test-1'))).toEqual([303, '/console/requests/console-test-1']);
    const { body } = await get('/requests/console-test-1');
    expect(body).toContain('POST /emails');
    expect(body).toContain(`/console/messages/${sent.body.id}`);
  });
});

describe('a test message', () => {
  it('is sent once, however often the same form is sent', { tags: ['console.configure.send'] }, async () => {
    const form = (await get('/messages/send')).body as string;
    const fields = fieldsOf(form);
    const [first, second] = [await post('/messages/send', fields), await post('/messages/send', fields)];
    expect(place(second)).toEqual(place(first));
    expect(place(first)[0]).toBe(303);
    const changed = fields.map(([name, value]) => [name, name === 'subject' ? 'Another one' : value] as const);
    const other = await post('/messages/send', changed);
    expect(other.body).toContain('This form was already sent.');
    expect(place(await post('/messages/send', fieldsOf(other.body)))[0]).toBe(303);
  });
});

describe('roles', () => {
  it('see no buttons that they may not use, and change nothing', { tags: ['console.configure.roles'] }, async () => {
    const viewer = await joinAs(server, owner, 'viewer');
    expect((await get('/suppressions', viewer)).body).not.toContain('Add addresses');
    expect((await get('/team', viewer)).body).not.toContain('Invite someone');
    expect((await get('/keys', viewer)).status).toBe(403);
    const refused = await post('/suppressions/add', { emails: 'x@list.example' }, viewer);
    expect(refused.status).toBe(403);
    expect((await server.call('GET', '/suppressions/x@list.example')).status).toBe(404);
  });

  it('lose nothing that was typed when the session has ended', { tags: ['console.configure.refused'] }, async () => {
    const gone = await signInAs(server, 'owner@sandbox.test');
    await gone.call('POST', '/auth/logout');
    const late = await post(
      '/tickets/new',
      { subject: 'Typed for an hour', body: '</textarea><script>1</script>' },
      gone,
    );
    expect(late.status).toBe(401);
    expect(late.body).toContain('Typed for an hour');
    expect(late.body).toContain('&lt;/textarea&gt;&lt;script&gt;1&lt;/script&gt;');
    expect(late.body).toContain('action="/console/tickets/new"');
  });
});

/** The fields of the last form of a page, as a browser would send them. */
function fieldsOf(page: string): readonly (readonly [string, string])[] {
  const form = page.slice(page.lastIndexOf('<form class="form"'));
  const inputs = [...form.matchAll(/<input([^>]*)>/g)].flatMap(([, given = '']) => {
    const name = attribute(given, 'name');
    const isOff = /type="(?:checkbox|radio)"/.test(given) && !/ checked/.test(given);
    return name === null || isOff ? [] : [[name, attribute(given, 'value') ?? ''] as const];
  });
  const areas = [...form.matchAll(/<textarea([^>]*)>\n([\s\S]*?)<\/textarea>/g)].map(
    ([, given = '', value = '']) => [attribute(given, 'name') ?? '', decode(value)] as const,
  );
  const choices = [...form.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g)].map(
    ([, given = '', options = '']) =>
      [attribute(given, 'name') ?? '', /<option value="([^"]*)" selected/.exec(options)?.[1] ?? ''] as const,
  );
  return [...inputs, ...areas, ...choices];
}

function attribute(given: string, name: string): string | null {
  const found = new RegExp(` ${name}="([^"]*)"`).exec(given)?.[1];
  return found === undefined ? null : decode(found);
}

function decode(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
