import { describe, expect, it } from 'vitest';
import type { LinkHosts } from '../../packages/server/src/links/link-hosts.ts';
import { createHoldLedger } from '../../packages/server/src/sending/hold-ledger.ts';
import { HOSTILE_BODIES } from '../harness/hostile-bodies.ts';
import { plainSend } from '../harness/plain-send.ts';

const NO_RULES = { recipientDomainNotIn: null, recipientsOver: null, firstContact: false, hasBcc: false };
const RULES = { ...NO_RULES, hasAttachments: false, freeformBody: false, linkDomainNotIn: ['example.com'] };
const MAIL = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: '' };
const NOTHING = { keys: [], recipients: [], vouched: [] };

/** A send whose key came under a rule of links when its content was made already. */
function sendOf(html: string, linkHosts?: LinkHosts) {
  const send = plainSend({ accountId: 'account', keyId: 'key' }, { ...MAIL, html });
  const content = linkHosts === undefined ? send.content : { ...send.content, findings: { linkHosts } };
  return { ...send, content, sender: { ...send.sender, approval: { mode: 'policy' as const, holdWhen: RULES } } };
}

describe('the rule of links', () => {
  const ledger = createHoldLedger(NOTHING, new Date(0));

  it('uses the links that were found when the content was created', () => {
    const html = '<a href="https://example.com">x</a>';
    expect(ledger.holdOf(sendOf(html, { hosts: ['example.com'], addresses: [], unreadable: false }))).toBeNull();
    expect(ledger.holdOf(sendOf(html, { hosts: ['other.test'], addresses: [], unreadable: false }))?.reasons).toEqual([
      'linkDomainNotIn',
    ]);
  });

  it('holds a message whose links were not scanned, and does not scan it on the event loop', {
    tags: ['holes.hostile-work'],
  }, () => {
    expect(ledger.holdOf(sendOf('<p>Hi</p>'))?.reasons).toEqual(['linkDomainNotIn']);
    const large = sendOf(HOSTILE_BODIES['href without value']?.(1_990_000) ?? '');
    const before = process.threadCpuUsage();
    expect(ledger.holdOf(large)?.reasons).toEqual(['linkDomainNotIn']);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(50);
  });
});
