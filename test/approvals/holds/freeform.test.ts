import { type SendRequest, sendRequestSchema } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { isFreeform } from '../../../packages/server/src/approvals/holds/freeform.ts';

const SENDER = { names: ['Acme Ltd', 'Support agent', null], domains: ['acme.net'] };

const request = (more: object): SendRequest =>
  sendRequestSchema.parse({ from: 'hi@acme.com', to: 'bob@receiver.example', template: 'welcome', ...more });
const deep = (levels: number): unknown => (levels === 0 ? 'x' : { a: deep(levels - 1) });

describe('what a sender adds to a template', { tags: ['holes.freeform'] }, () => {
  it.each<[string, object]>([
    ['nothing', {}],
    ['the account’s name', { from: 'acme ltd <hi@acme.com>' }],
    ['the name of the key’s agent', { from: 'Support agent <hi@acme.com>', reply_to: 'Acme Ltd <hi@acme.com>' }],
    ['a reply address at another verified domain', { reply_to: 'hi@acme.net' }],
    [
      'values',
      { variables: { name: 'Ada', order: 4_711, paid: true, items: [{ title: 'Tea, 2 pounds', price: '3.50' }] } },
    ],
    [
      'sender addresses with a few digits',
      { from: 'support-2026@acme.com', reply_to: 'customer.care.europe@acme.com' },
    ],
    ['an address as a value', { variables: { account: 'ada@example.com' } }],
    ['the names of recipients', { to: ['Bob B. <bob@receiver.example>'], cc: 'Cy <cy@receiver.example>' }],
    ['headers that programs read', { headers: { 'In-Reply-To': '<1@acme.com>', 'X-Priority': '1 (High)' } }],
  ])('is not free text: %s', (_name, more) => {
    expect(isFreeform(request(more), false, SENDER)).toBe(false);
  });

  it.each<[string, object]>([
    ['a subject', { subject: 'Your order' }],
    ['a subject with a URL', { subject: 'Pay at https://evil.com' }],
    ['a sender name', { from: 'Your bank <hi@acme.com>' }],
    ['a name of the reply address', { reply_to: 'Your bank <hi@acme.com>' }],
    ['a foreign reply address', { reply_to: 'hi@evil.com' }],
    ['a reply address below a verified domain', { reply_to: 'hi@mail.acme.net' }],
    ['a reply header', { headers: { 'Reply-To': 'hi@evil.com' } }],
    ['an unsubscribe header', { headers: { 'List-Unsubscribe': '<https://evil.com>' } }],
    ['a header with text', { headers: { Comments: 'Pay now' } }],
    ['a technical header with a URL', { headers: { References: '<https://evil.com/x>' } }],
    ['a technical header with an address', { headers: { Importance: 'hi@evil.com' } }],
    ['a technical header with a host', { headers: { 'Feedback-ID': 'evil.com' } }],
    ['an address beside the ids of a conversation', { headers: { 'In-Reply-To': '<1@acme.com> hi@evil.com' } }],
    ['a technical header with text beyond ASCII', { headers: { Importance: '急' } }],
    ['a variable with a URL', { variables: { name: 'Ada https://evil.com' } }],
    ['a variable with a bare name', { variables: { name: 'evil.com/@pay' } }],
    ['a variable with a script URL', { variables: { link: 'javascript://x' } }],
    ['a variable with markup', { variables: { name: '<b>Ada' } }],
    ['a variable with a line break', { variables: { name: 'Ada\nPay now' } }],
    ['a long variable', { variables: { name: 'a'.repeat(101) } }],
    ['a long text in many variables', { variables: { words: Array.from({ length: 60 }, () => 'a'.repeat(50)) } }],
    ['a text in the names of fields', { variables: { a: { 'https://evil.com': 1 } } }],
    ['many short values', { variables: { words: Array.from({ length: 21 }, () => 'a'.repeat(50)) } }],
    [
      'a page as a file',
      { attachments: [{ filename: 'open-me.html', content: 'PGEgaHJlZj0iaHR0cHM6Ly9ldmlsLmNvbSI+' }] },
    ],
    ['a picture for the HTML', { attachments: [{ filename: 'logo.png', content: 'aGk=', content_id: 'logo' }] }],
    ['a sender address with a number', { from: 'pay-call-1-900-555-0199@acme.com' }],
    ['a long sender address', { from: 'your-account-is-locked-pay-now-today@acme.com' }],
    ['a reply address with a number', { reply_to: 'call-19005550199@acme.com' }],
    ['deeply nested variables', { variables: { a: deep(12) } }],
    ['a recipient with a URL for a name', { to: ['"Pay at evil.com/x" <bob@receiver.example>'] }],
  ])('is free text: %s', (_name, more) => {
    expect(isFreeform(request(more), false, SENDER)).toBe(true);
  });

  it('is unknown for a resend, whose first send may have been held or rejected', () => {
    const stored = { template: undefined, subject: 'Hi', text: 'By the template' };
    expect(isFreeform(request(stored), true, SENDER)).toBe(true);
  });
});
