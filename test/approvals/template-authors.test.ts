import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { decidingKey, holdingKey } from './approving.ts';

describe('the authors of the parts of a template', () => {
  let server: TestApp;
  let sender: string;
  let writer: string;
  let writerId: string;
  let decider: string;
  let userId: string;
  let user: string;
  let serial = 0;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key: sender } = await holdingKey(server, { approvalMode: 'policy', holdWhen: { freeformBody: true } }));
    ({ key: writer, id: writerId } = await holdingKey(server, { scopes: ['templates:write'] }));
    decider = await decidingKey(server);
    const made = await server.call('POST', '/keys', { body: { name: 'Editor', scopes: ['templates:write'] } });
    ({ key: user, id: userId } = made.body);
  });
  afterAll(() => server.close());

  const post = async (key: string, body: object = {}) => {
    serial += 1;
    const content = { name: `Parts ${serial}`, subject: 'Hi', html: '<p>Vetted</p>', text: 'Vetted', ...body };
    return (await server.call('POST', '/templates', { key, body: content })).body.slug as string;
  };
  const patch = async (slug: string, key: string, body: object) =>
    (await server.call('PATCH', `/templates/${slug}`, { key, body })).body;
  const publish = async (slug: string, key = decider) =>
    await server.call('POST', `/templates/${slug}/publish`, { key, body: {} });
  const authors = async (slug: string) => (await server.call('GET', `/templates/${slug}`)).body.versions.at(-1).authors;
  const reasons = async (template: string, body: object = {}) => {
    const request = { from: 'ada@sandbox.test', to: 'bob@receiver.example', template, ...body };
    const { status, body: response } = await server.call('POST', '/emails', { key: sender, body: request });
    expect(status).toBe(202);
    return response.reasons ?? [];
  };
  /** The newest draft as a version from before drafts, which only its author vouches for. */
  const enact = async (slug: string) => {
    await server.database.sql`UPDATE templates SET current_version = last_version WHERE slug = ${slug}`;
    await server.database.sql`
      UPDATE template_versions v SET status = 'published' FROM templates t
      WHERE t.account_id = v.account_id AND t.id = v.template_id AND t.slug = ${slug} AND v.status = 'draft'`;
  };

  it('keeps the author of each part: editing the subject later does not vouch for the HTML', {
    tags: ['holes.template-authors'],
  }, async () => {
    const slug = await post(user);
    await patch(slug, writer, { html: '<p>Pay at evil.example</p>' });
    await enact(slug);
    expect(await reasons(slug)).toEqual(['freeformBody']);
    await patch(slug, user, { subject: 'Hello' });
    expect(await authors(slug)).toEqual({ subject: userId, html: writerId, text: userId });
    expect(await reasons(slug)).toEqual(['freeformBody']);
    // Sent again with the change, as forms do.
    await patch(slug, user, { subject: 'Hello again', html: '<p>Pay at evil.example</p>' });
    expect(await authors(slug)).toMatchObject({ html: writerId });
    expect(await reasons(slug)).toEqual(['freeformBody']);
    await patch(slug, user, { html: '<p>Ours</p>' });
    expect(await reasons(slug)).toEqual([]);
    // A rollback brings the authors back.
    await patch(slug, user, { rollbackTo: 3 });
    expect(await authors(slug)).toEqual({ subject: userId, html: writerId, text: userId });
    expect(await reasons(slug)).toEqual(['freeformBody']);
    await patch(slug, user, { html: null });
    expect(await authors(slug)).toEqual({ subject: userId, html: null, text: userId });
    expect(await reasons(slug)).toEqual([]);
  });

  it('checks only the parts that the send uses', { tags: ['holes.template-authors'] }, async () => {
    const slug = await post(user);
    await patch(slug, writer, { subject: 'Act now' });
    await enact(slug);
    expect(await reasons(slug)).toEqual(['freeformBody']);
    expect(await reasons(`${slug}@1`)).toEqual([]);
  });

  it('makes the publisher of a draft responsible for what it changes, and for nothing else', {
    tags: ['holes.template-authors'],
  }, async () => {
    const slug = await post(user);
    await patch(slug, writer, { html: '<p>New</p>' });
    expect((await publish(slug)).status).toBe(200);
    expect(await authors(slug)).toEqual({ subject: userId, html: writerId, text: userId });
    expect(await reasons(slug)).toEqual([]);
    await patch(slug, writer, { text: 'From before drafts' });
    await enact(slug);
    await patch(slug, writer, { subject: 'Published' });
    expect((await publish(slug)).status).toBe(200);
    expect(await reasons(slug)).toEqual(['freeformBody']);
  });

  it('vouches for nothing by the sending key, a test key, or a publisher that is now held', {
    tags: ['holes.template-authors'],
  }, async () => {
    const own = await post(sender);
    const { id: publisherId, key: publisher } = await makeDecider();
    expect((await publish(own, publisher)).status).toBe(200);
    expect(await reasons(own)).toEqual([]);
    await server.database.sql`UPDATE api_keys SET approval_mode = 'always' WHERE id = ${publisherId}`;
    expect(await reasons(own)).toEqual(['freeformBody']);
    const test = await server.newKey({ mode: 'test', name: 'Tester' });
    const tested = await post(test);
    await enact(tested);
    expect(await reasons(tested)).toEqual(['freeformBody']);
    const mine = await post(sender);
    await enact(mine);
    expect(await reasons(mine)).toEqual(['freeformBody']);
  });

  it('treats a version from before parts had authors as written in full by its creator', {
    tags: ['holes.template-authors'],
  }, async () => {
    const slug = await post(user);
    await server.database.sql`
      UPDATE template_versions v SET authors = NULL, created_by = ${writerId} FROM templates t
      WHERE t.account_id = v.account_id AND t.id = v.template_id AND t.slug = ${slug}`;
    expect(await reasons(slug)).toEqual(['freeformBody']);
    await patch(slug, user, { subject: 'Hello' });
    expect(await authors(slug)).toEqual({ subject: userId, html: writerId, text: writerId });
    expect(await reasons(slug)).toEqual(['freeformBody']);
    const resent = async () => {
      const body = { from: 'ada@sandbox.test', to: 'bob@receiver.example', template: slug };
      const { body: sent } = await server.call('POST', '/emails', { key: sender, body });
      return (await server.call('POST', `/emails/${sent.id}/resend`, { key: sender })).body.status;
    };
    expect(await resent()).toBe('pending_approval');
    await patch(slug, user, { html: '<p>Ours</p>', text: 'Ours' });
    server.clock.advance(1_000);
    // What variables the first send had is not stored, so that a resend cannot be distinguished from free text.
    expect(await resent()).toBe('pending_approval');
  });

  it('holds a resend of a message that was held or rejected', { tags: ['holes.freeform'] }, async () => {
    const slug = await post(user);
    const body = {
      from: 'ada@sandbox.test',
      to: 'bob@receiver.example',
      template: slug,
      subject: 'Pay at evil.example',
    };
    const { body: first } = await server.call('POST', '/emails', { key: sender, body });
    expect(first.status).toBe('pending_approval');
    const resend = async () => (await server.call('POST', `/emails/${first.id}/resend`, { key: sender })).body.status;
    expect(await resend()).toBe('pending_approval');
    const decider = await makeDecider();
    const reject = { key: decider.key, body: { decision: 'reject' } };
    expect((await server.call('POST', `/keys/approvals/${first.approvalId}`, reject)).body.status).toBe('rejected');
    expect(await resend()).toBe('pending_approval');
  });

  async function makeDecider() {
    const key = await server.newKey({ name: 'Publisher', scopes: ['approvals:decide', 'keys:read'] });
    return { id: (await server.call('GET', '/keys/self', { key })).body.id as string, key };
  }
});
