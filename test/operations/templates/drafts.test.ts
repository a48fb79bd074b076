import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decidingKey, holdingKey } from '../../approvals/approving.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const UNKNOWN_HASH = '0'.repeat(64);

describe('drafts by GET /keys/approvals/drafts, POST /templates/:id/publish and POST /templates/:id/discard', () => {
  let server: TestApp;
  let agent: string;
  let agentId: string;
  let decider: string;
  let serial = 0;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key: agent, id: agentId } = await holdingKey(server, { name: 'Agent 7' }));
    decider = await decidingKey(server);
  });
  afterAll(() => server.close());

  const post = async (body: object, key = server.key) => await server.call('POST', '/templates', { key, body });
  const patch = async (slug: string, body: object, key = server.key) =>
    await server.call('PATCH', `/templates/${slug}`, { key, body });
  const get = async (slug: string, version?: number, key = server.key) =>
    await server.call('GET', `/templates/${slug}${version === undefined ? '' : `?version=${version}`}`, { key });
  const publish = async (slug: string, body: object = {}, key = decider) =>
    await server.call('POST', `/templates/${slug}/publish`, { key, body });
  const discard = async (slug: string, body: object = {}, key = decider) =>
    await server.call('POST', `/templates/${slug}/discard`, { key, body });
  const drafts = async (slug: string, key = decider) => {
    const { body } = await server.call('GET', '/keys/approvals/drafts?limit=100', { key });
    return body.drafts.filter((draft: { slug: string }) => draft.slug === slug);
  };
  const send = async (template: string, key = server.key) => {
    const body = { from: 'ada@sandbox.test', to: 'bob@receiver.example', template };
    return await server.call('POST', '/emails', { key, body });
  };
  const sentText = async (template: string) => {
    const { body } = await send(template);
    return (await server.call('GET', `/emails/${body.id}`)).body.text;
  };
  /** A published template and its slug. */
  const live = async (fields: object = {}) => {
    serial += 1;
    const { body } = await post({ name: `Live ${serial}`, subject: 'Hi', text: 'Vetted', ...fields });
    return body.slug as string;
  };
  const written = async () => {
    const { body } = await server.call('GET', '/audit?limit=100');
    return body.entries.map(({ action }: { action: string }) => action);
  };

  it('creates a draft from a change of a held key, and sends continue unchanged', {
    tags: ['holes.template-drafts'],
  }, async () => {
    const slug = await live();
    const changed = await patch(slug, { text: 'Pay at evil.example' }, agent);
    expect(changed.body).toMatchObject({
      ...{ version: 2, status: 'draft', currentVersion: 1, text: 'Pay at evil.example' },
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      versions: [
        { version: 1, status: 'published' },
        { version: 2, status: 'draft', createdBy: agentId, publishedAt: null, publishedBy: null },
      ],
    });
    expect((await get(slug)).body).toMatchObject({
      version: 1,
      status: 'published',
      contentHash: null,
      text: 'Vetted',
    });
    expect(await sentText(slug)).toBe('Vetted');
    const pinned = await send(`${slug}@2`);
    expectProblem(pinned, 422, 'template_not_found');
    expect(pinned.body.detail).toContain('is an unpublished draft');
    const tested = await server.call('POST', `/templates/${slug}/test`, { body: {} });
    expect((await server.call('GET', `/emails/${tested.body.id}`)).body.text).toBe('Vetted');
    const preview = await server.call('POST', `/templates/${slug}/render`, { body: { version: 2 } });
    expect(preview.body).toMatchObject({ text: 'Pay at evil.example', status: 'draft' });
  });

  it('creates an unsendable template when a held key or a test key creates one', {
    tags: ['holes.template-drafts'],
  }, async () => {
    const test = await server.newKey({ mode: 'test', name: 'Tester' });
    for (const [slug, key] of [
      ['made-by-agent', agent],
      ['made-by-tester', test],
    ] as const) {
      const made = await post({ slug, name: slug, subject: 'Hi', text: 'Draft' }, key);
      expect(made).toMatchObject({ status: 201, body: { version: 1, status: 'draft', currentVersion: null } });
      for (const sender of [server.key, key]) {
        for (const name of [slug, `${slug}@1`, made.body.id]) {
          expectProblem(await send(name, sender), 422, 'template_not_found');
        }
      }
      expectProblem(await server.call('POST', `/templates/${slug}/test`, { body: {} }), 422, 'template_not_found');
      expect((await publish(slug)).body).toMatchObject({ version: 1, status: 'published', currentVersion: 1 });
      expect((await send(slug)).status).toBe(202);
    }
    const { body: list } = await server.call('GET', '/templates?limit=100');
    const { body: waiting } = await post({ slug: 'listed', name: 'Listed', text: 'x' }, agent);
    expect((await server.call('GET', '/templates?limit=100')).body.total).toBe(list.total + 1);
    expect(waiting.currentVersion).toBeNull();
  });

  it('treats a change as a draft that was written while the key was put into approval mode', {
    tags: ['holes.template-drafts'],
  }, async () => {
    const slug = await live();
    const { body: made } = await server.call('POST', '/keys', {
      body: { name: 'Turned', scopes: ['templates:write'] },
    });
    // The server still has the key in its cache.
    expect((await patch(slug, { text: 'Before' }, made.key)).body.status).toBe('published');
    await server.database.sql`UPDATE api_keys SET approval_mode = 'always' WHERE id = ${made.id}`;
    expect((await patch(slug, { text: 'After' }, made.key)).body).toMatchObject({ status: 'draft', currentVersion: 2 });
  });

  it('bases a draft on the current version, or on the own draft that it replaces', {
    tags: ['holes.template-drafts'],
  }, async () => {
    const slug = await live();
    expect((await patch(slug, { text: 'One', baseVersion: 1 }, agent)).body.version).toBe(2);
    expect((await patch(slug, { text: 'Two', baseVersion: 2 }, agent)).body.version).toBe(3);
    expect((await patch(slug, { text: 'Three', baseVersion: 1 }, agent)).body.version).toBe(4);
    expectProblem(await patch(slug, { text: 'Four', baseVersion: 2 }, agent), 409, 'approval_changed');
    // The number of a draft of another key reveals nothing.
    const { key: other } = await holdingKey(server, { scopes: ['templates:write'] });
    const foreign = await patch(slug, { text: 'Five', baseVersion: 4 }, other);
    expectProblem(foreign, 409, 'approval_changed');
    expect(foreign.body.detail).toContain('`baseVersion` must be 1');
  });

  it('lists drafts with what they change: all to deciders, only its own to a key', {
    tags: ['holes.template-drafts'],
  }, async () => {
    const slug = await live({ html: '<p>Vetted</p>' });
    const { body } = await patch(slug, { html: '<p>New</p>', text: 'Vetted', note: 'Footer' }, agent);
    const [draft, ...others] = await drafts(slug);
    expect(others).toEqual([]);
    expect(draft).toEqual({
      ...{ id: expect.any(String), templateId: body.id, slug, name: body.name, version: 2, baseVersion: 1 },
      ...{ currentVersion: 1, contentHash: body.contentHash, createdBy: agentId, keyName: 'Agent 7', note: 'Footer' },
      createdAt: expect.any(String),
      approvers: { requirePasskey: false, count: 1, memberIds: null },
      changes: { html: { before: '<p>Vetted</p>', after: '<p>New</p>' } },
    });
    expect(await drafts(slug, agent)).toEqual([draft]);
    const { key: other } = await holdingKey(server, { scopes: ['templates:write'] });
    expect(await drafts(slug, other)).toEqual([]);
    expect((await server.call('GET', '/keys/approvals', { key: decider })).body).not.toHaveProperty('drafts');
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await server.call('GET', `/keys/approvals/drafts?limit=1${cursor}`, { key: decider });
      expect(page.body.drafts).toHaveLength(1);
      seen.push(page.body.drafts[0].id);
      if (page.body.nextCursor === null) {
        expect(seen).toHaveLength(page.body.total);
        break;
      }
      cursor = `&cursor=${page.body.nextCursor}`;
    }
    expect(seen).toEqual(seen.toSorted().toReversed());
    expectProblem(await server.call('GET', '/keys/approvals/drafts?cursor=x', { key: decider }), 422, 'invalid_cursor');
    const stranger = await server.newAccount();
    expect((await server.call('GET', '/keys/approvals/drafts', { key: stranger.key })).body.drafts).toEqual([]);
    expectProblem(await publish(slug, {}, stranger.key), 403, 'missing_scope');
    expectProblem(await discard(slug, {}, stranger.key), 404, 'not_found');
  });

  it('publishes what a decider was shown, and records who and when', async () => {
    const slug = await live();
    await patch(slug, { text: 'New' }, agent);
    const [{ contentHash }] = await drafts(slug);
    expectProblem(await publish(slug, { contentHash: UNKNOWN_HASH }), 409, 'approval_changed');
    const published = await publish(slug, { version: 2, contentHash });
    expect(published).toMatchObject({ status: 200, body: { version: 2, currentVersion: 2, contentHash: null } });
    const [, version] = published.body.versions;
    expect(version).toMatchObject({ status: 'published', createdBy: agentId, publishedAt: expect.any(String) });
    expect(version.publishedBy).not.toBe(agentId);
    expect(await sentText(slug)).toBe('New');
    expect(await drafts(slug)).toEqual([]);
    expectProblem(await publish(slug, { version: 2 }), 409, 'approval_already_decided');
    expectProblem(await publish(slug), 404, 'not_found');
    expectProblem(await publish(slug, { version: 9 }), 404, 'not_found');
    expectProblem(await publish('nothing-there'), 404, 'not_found');
    expect(await written()).toEqual(expect.arrayContaining(['template.drafted', 'template.published']));
  });

  it('lets no author, no held key and no test key publish', { tags: ['holes.template-drafts'] }, async () => {
    const slug = await live();
    await patch(slug, { text: 'New' }, agent);
    expectProblem(await publish(slug, {}, agent), 403, 'self_approval_forbidden');
    const test = await server.newKey({ mode: 'test', scopes: ['approvals:decide'] });
    expectProblem(await publish(slug, {}, test), 403, 'permission_escalation');
    const plain = await server.newKey({ scopes: ['templates:write'] });
    expectProblem(await publish(slug, {}, plain), 403, 'missing_scope');
    // Once let out of approval mode, and made a decider, it still is the author.
    const scopes = ['templates:write', 'approvals:decide'];
    const grown = await holdingKey(server, { scopes: ['templates:write'] });
    const own = await live();
    await patch(own, { text: 'Mine' }, grown.key);
    await server.database.sql`UPDATE api_keys SET approval_mode = 'off', scopes = ${scopes} WHERE id = ${grown.id}`;
    // A change of any key has the server read all of them again.
    await server.call('PATCH', `/keys/${agentId}`, { body: { name: 'Agent 7' } });
    expectProblem(await publish(own, {}, grown.key), 403, 'self_approval_forbidden');
    expect((await publish(slug, {}, grown.key)).status).toBe(200);
  });

  it('never undoes a later edit unseen: the difference to the current version must be the one shown', async () => {
    const slug = await live({ html: '<p>One</p>' });
    await patch(slug, { text: 'Agent' }, agent);
    const [shown] = await drafts(slug);
    await patch(slug, { html: '<p>Two</p>' });
    const stale = await publish(slug);
    expectProblem(stale, 409, 'approval_changed');
    expect(stale.body.detail).toContain('Version 3 was published after');
    expectProblem(await publish(slug, { contentHash: shown.contentHash }), 409, 'approval_changed');
    const [now] = await drafts(slug);
    expect(now).toMatchObject({ version: 2, baseVersion: 1, currentVersion: 3 });
    expect(now.changes).toEqual({
      html: { before: '<p>Two</p>', after: '<p>One</p>' },
      text: { before: 'Vetted', after: 'Agent' },
    });
    // The author's next change starts from what is current and keeps what it had changed.
    await patch(slug, { subject: 'Hey' }, agent);
    const [next, ...others] = await drafts(slug);
    expect(others).toEqual([]);
    expect(next).toMatchObject({ version: 4, baseVersion: 3, currentVersion: 3 });
    expect(Object.keys(next.changes).toSorted()).toEqual(['subject', 'text']);
    const gone = await publish(slug, { version: 2, contentHash: now.contentHash });
    expectProblem(gone, 409, 'approval_changed');
    expect((await publish(slug)).body).toMatchObject({ subject: 'Hey', html: '<p>Two</p>', text: 'Agent', version: 4 });
    expect((await patch(slug, { text: 'Person' })).body.version).toBe(5);
  });

  it('publishes a stale draft for a decider who saw what it undoes', async () => {
    const slug = await live();
    await patch(slug, { text: 'Agent' }, agent);
    await patch(slug, { text: 'Person' });
    const [{ contentHash }] = await drafts(slug);
    expect((await publish(slug, { contentHash })).body).toMatchObject({ text: 'Agent', version: 2, currentVersion: 2 });
    expect((await patch(slug, { rollbackTo: 3 })).body).toMatchObject({ text: 'Person', version: 4 });
  });

  it('has one outcome of a publication, a new draft and an edit at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const slug = await live({ html: '<p>0</p>' });
      await patch(slug, { text: 'Agent 1' }, agent);
      const [{ contentHash }] = await drafts(slug);
      const [published, drafted, edited] = await Promise.all([
        publish(slug, { contentHash }),
        patch(slug, { text: 'Agent 2' }, agent),
        patch(slug, { html: '<p>1</p>' }),
      ]);
      expect([drafted.body.status, edited.body.status]).toEqual(['draft', 'published']);
      const { body: current } = await get(slug);
      if (published.status === 200) expect(current.text).toBe('Agent 1');
      else expectProblem(published, 409, 'approval_changed');
      // The draft that was not decided about is never live, and the edit is in effect.
      expect(current).toMatchObject({ html: '<p>1</p>', status: 'published' });
      expect(current.text).toBe(published.status === 200 ? 'Agent 1' : 'Vetted');
      const [left, ...others] = await drafts(slug);
      expect(others).toEqual([]);
      expect(left.changes.text.after).toBe('Agent 2');
      const numbers = current.versions.map(({ version }: { version: number }) => version);
      expect(new Set(numbers).size).toBe(numbers.length);
    }
  });

  it('is discarded by its author or a decider, and its number is never reused', async () => {
    const slug = await live();
    await patch(slug, { text: 'One' }, agent);
    const plain = await server.newKey({ scopes: ['templates:write'] });
    expectProblem(await discard(slug, { version: 2 }, plain), 403, 'missing_scope');
    const { key: other } = await holdingKey(server, { scopes: ['templates:write'] });
    expectProblem(await discard(slug, {}, other), 404, 'not_found');
    expectProblem(await discard(slug, { version: 1 }), 409, 'approval_already_decided');
    expectProblem(await discard(slug, { contentHash: UNKNOWN_HASH }), 409, 'approval_changed');
    const discarded = await discard(slug, { note: 'Not this one.' }, agent);
    expect(discarded).toMatchObject({ status: 200, body: { version: 2, changes: { text: { after: 'One' } } } });
    expectProblem(await discard(slug, { version: 2 }, agent), 409, 'approval_changed');
    expect((await patch(slug, { text: 'Two' }, agent)).body.version).toBe(3);
    expect((await discard(slug)).body.version).toBe(3);
    expect((await patch(slug, { text: 'Person' })).body.version).toBe(4);
    expectProblem(await send(`${slug}@3`), 422, 'template_not_found');
    const made = await post({ slug: 'never-live', name: 'Never', text: 'x' }, agent);
    expect(made.status).toBe(201);
    expect((await discard('never-live')).status).toBe(200);
    expectProblem(await get('never-live'), 404, 'not_found');
    expect(await written()).toContain('template.discarded');
  });

  it('asks which of several drafts is meant', async () => {
    const slug = await live();
    const { key: other } = await holdingKey(server, { scopes: ['templates:write'] });
    await patch(slug, { text: 'One' }, agent);
    await patch(slug, { text: 'Two' }, other);
    const asked = await publish(slug);
    expectInvalid(asked, 'version');
    expect(asked.body.detail).toContain('2, 3');
    expect((await discard(slug, {}, other)).body.version).toBe(3);
    expect((await publish(slug)).body.text).toBe('One');
  });

  it('restores an earlier version as a draft too, and publishes no draft by rolling back to it', {
    tags: ['holes.template-drafts'],
  }, async () => {
    const slug = await live();
    await patch(slug, { text: 'Second' });
    const back = await patch(slug, { rollbackTo: 1 }, agent);
    expect(back.body).toMatchObject({ version: 3, status: 'draft', text: 'Vetted', currentVersion: 2 });
    expect(await sentText(slug)).toBe('Second');
    await patch(slug, { text: 'Evil' }, agent);
    for (const key of [server.key, agent]) expectInvalid(await patch(slug, { rollbackTo: 4 }, key), 'rollbackTo');
    expect(await sentText(slug)).toBe('Second');
  });

  it('lets a restricted key change neither slug nor name, which take effect immediately', async () => {
    const slug = await live();
    for (const body of [{ slug: 'taken-over' }, { name: 'Other' }, { name: 'Other', text: 'x' }]) {
      expectProblem(await patch(slug, body, agent), 403, 'permission_escalation');
    }
    const { body } = await get(slug);
    expect((await patch(slug, { slug, name: body.name }, agent)).status).toBe(200);
    expect((await get(slug)).body).toEqual(body);
    expectProblem(await server.call('DELETE', `/templates/${slug}`, { key: agent }), 403, 'permission_escalation');
  });

  it('lets only its author build on a draft: others must send the content, or do not see it', async () => {
    await post({ slug: 'squatted', name: 'Squatted', subject: 'Evil', html: '<p>Evil</p>' }, agent);
    expectInvalid(await patch('squatted', { subject: 'Hi' }), 'text');
    const { key: other } = await holdingKey(server, { scopes: ['templates:write'] });
    expectProblem(await patch('squatted', { subject: 'Hi' }, other), 404, 'not_found');
    const { body } = await patch('squatted', { text: 'Ours' });
    expect(body).toMatchObject({ version: 2, currentVersion: 2, subject: null, html: null, text: 'Ours' });
  });

  it('rejects more undecided drafts than a key may have, exactly', async () => {
    const { key, id } = await holdingKey(server, { scopes: ['templates:write'] });
    const responses = await Promise.all(
      Array.from({ length: 53 }, (_, index) => post({ slug: `flood-${index}`, name: 'Flood', text: 'x' }, key)),
    );
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(3);
    for (const response of refused) {
      expectProblem(response, 429, 'too_many_held');
      expect(response.headers.get('retry-after')).toBe('60');
    }
    const kept = responses.find(({ status }) => status === 201)?.body.slug;
    expect((await patch(kept, { text: 'y' }, key)).status).toBe(200);
    const [row] = await server.database.sql`
      SELECT count(*)::int AS count FROM template_versions WHERE created_by = ${id} AND status = 'draft'`;
    expect(row).toEqual({ count: 50 });
  });
});
