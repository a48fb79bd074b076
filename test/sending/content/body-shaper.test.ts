import { afterAll, describe, expect, it } from 'vitest';
import { findHoldReasons } from '../../../packages/server/src/approvals/holds/hold-rules.ts';
import { createBodyShaper } from '../../../packages/server/src/sending/content/body-shaper.ts';
import { type BodyOrder, shapeBodies } from '../../../packages/server/src/sending/content/shape-bodies.ts';
import { createJobThreads } from '../../../packages/server/src/threads/job-threads.ts';
import { HOSTILE_BODIES } from '../../harness/hostile-bodies.ts';

const UTM = { source: 'newsletter', medium: 'email', campaign: 'spring', override_existing: true };
const OWNER = { accountId: 'account', keyId: 'key' };

function order(bodies: Pick<BodyOrder, 'html' | 'text'>): BodyOrder {
  const asks = { trackOpens: true, trackClicks: true, seeksLinks: true, seeksFiles: true };
  return { ...bodies, ...asks, subject: 'Hello', utm: UTM, headers: { 'List-Unsubscribe': '<https://a.example/p>' } };
}

describe('the shaper of bodies', () => {
  const threads = createJobThreads();
  const shaper = createBodyShaper(threads);
  afterAll(() => threads.close());

  it('returns the same for a body in a thread as in the main thread', { timeout: 60_000 }, async () => {
    for (const [name, make] of Object.entries(HOSTILE_BODIES)) {
      const body = make(70_000);
      for (const bodies of [
        { html: body, text: undefined },
        { html: null, text: body },
        { html: body, text: '' },
      ]) {
        expect(await shaper.shape(OWNER, order(bodies)), name).toEqual(shapeBodies(order(bodies)));
      }
    }
  });

  it('holds a message with more hosts than a rule can list', async () => {
    const hosts = Array.from({ length: 5_000 }, (_, index) => `h${index}.example.com`);
    const html = hosts.map((host) => `<a href="https://${host}/">x</a>`).join('');
    const shaped = await shaper.shape(OWNER, order({ html, text: '' }));
    if ('busy' in shaped) throw new Error('the threads are busy');
    const { linkHosts } = shaped.findings;
    expect(linkHosts?.hosts.length).toBeLessThan(hosts.length);
    const none = { recipientDomainNotIn: null, recipientsOver: null, firstContact: false, hasBcc: false };
    const rules = { ...none, hasAttachments: false, freeformBody: false, linkDomainNotIn: hosts.slice(0, 1_000) };
    const links = () => linkHosts ?? { hosts: [], addresses: [], unreadable: false };
    expect(findHoldReasons({ mode: 'policy', holdWhen: rules }, { ...question(), links })).toEqual(['linkDomainNotIn']);
  });
});

function question(): Parameters<typeof findHoldReasons>[1] {
  return {
    ...{ recipients: [], carriesFiles: false, isTemplated: true, isKnown: () => true, isTrusted: () => false },
    links: () => ({ hosts: [], addresses: [], unreadable: false }),
    ownAddresses: { addresses: new Set(), domain: 'sender.example' },
  };
}
