import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('tickets and the audit log over the SDK', () => {
  let server: TestApp;
  let client: Postrider;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
  });
  afterAll(() => server.close());

  it('creates, lists, reads and replies by the names of the operations', {
    tags: ['contract-surfaces.sdk-tickets'],
  }, async () => {
    const refused = await client.emails
      .send({ from: 'a@sandbox.test', to: 'nobody', text: 'x' })
      .catch((error) => error);
    expect(refused).toBeInstanceOf(PostriderError);
    const { requestId } = refused as PostriderError;
    const raised = await client.tickets.create({
      subject: 'Why',
      body: 'refused?',
      ...(requestId === null ? {} : { requestId }),
    });
    expect(raised.context).toMatchObject({ requestLog: { id: requestId, status: 422 } });
    expect(await client.tickets.get(raised.id)).toEqual(raised);
    const replied = await client.tickets.reply(String(raised.number), { body: 'I see.' });
    expect(replied.messages.map(({ author, body }) => [author, body])).toEqual([
      ['customer', 'refused?'],
      ['customer', 'I see.'],
    ]);
    const page = await client.tickets.list({ status: 'open' });
    expect([page.data, page.nextCursor]).toEqual([[replied], null]);
  });

  it('reads the audit log, page after page', { tags: ['team.audit'] }, async () => {
    const emails = Array.from({ length: 5 }, (_, index) => `a${index}@b.example`);
    for (const email of emails) await client.suppressions.create({ email });
    const seqs: number[] = [];
    for await (const { seq } of client.audit.list({ action: 'suppression', limit: 2 })) seqs.push(seq);
    expect(seqs).toEqual([5, 4, 3, 2, 1]);
  });
});
