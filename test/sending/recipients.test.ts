import { sendRequestSchema } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { isSandboxAddress, planDeliveries } from '../../packages/server/src/sending/plan-deliveries.ts';
import { collectRecipients } from '../../packages/server/src/sending/recipients.ts';

const parse = (to: unknown, cc?: unknown, bcc?: unknown) =>
  sendRequestSchema.parse({ from: 'a@b.co', to, cc, bcc, subject: 's', text: 't' });

describe('collecting recipients', () => {
  it('keeps each address once, in the first field that names it, in the order to, cc, bcc', () => {
    const request = parse(['Ann <a@b.co>', 'b@b.co'], ['A@b.co', 'C <c@b.co>'], ['c@B.CO', 'd@b.co', 'b@b.co']);
    expect(collectRecipients(request)).toEqual([
      { ordinal: 0, kind: 'to', name: 'Ann', email: 'a@b.co' },
      { ordinal: 1, kind: 'to', name: null, email: 'b@b.co' },
      { ordinal: 2, kind: 'cc', name: 'C', email: 'c@b.co' },
      { ordinal: 3, kind: 'bcc', name: null, email: 'd@b.co' },
    ]);
  });

  it('keeps the case of the first occurrence of an address', () => {
    expect(collectRecipients(parse(['ANN@b.co', 'ann@b.co'])).map(({ email }) => email)).toEqual(['ANN@b.co']);
  });
});

describe('planning deliveries', () => {
  it('creates one delivery for test addresses and one for all others', () => {
    const recipients = ['a@b.co', 'x@sandbox.test', 'c@d.co'].map((email, ordinal) => ({ ordinal, email }));
    expect(planDeliveries(recipients, 'sandbox.test')).toEqual([
      { route: 'outbound', destination: '', ordinals: [0, 2] },
      { route: 'sandbox', destination: '', ordinals: [1] },
    ]);
    expect(planDeliveries(recipients.slice(1, 2), 'sandbox.test')).toEqual([
      { route: 'sandbox', destination: '', ordinals: [1] },
    ]);
    expect(planDeliveries(recipients.slice(0, 1), 'sandbox.test')).toEqual([
      { route: 'outbound', destination: '', ordinals: [0] },
    ]);
  });

  it('creates a delivery for each recipient of a personal message', () => {
    const recipients = ['a@b.co', 'x@sandbox.test', 'c@d.co'].map((email, ordinal) => ({ ordinal, email }));
    expect(planDeliveries(recipients, 'sandbox.test', true)).toEqual([
      { route: 'outbound', destination: '', ordinals: [0] },
      { route: 'sandbox', destination: '', ordinals: [1] },
      { route: 'outbound', destination: '', ordinals: [2] },
    ]);
  });

  it('creates a delivery for each domain when delivered directly, and one for each recipient of a personal message', () => {
    const emails = ['a@b.co', 'x@sandbox.test', 'c@d.co', 'e@b.co', 'f@XN--bcher-kva.example'];
    const recipients = emails.map((email, ordinal) => ({ ordinal, email }));
    expect(planDeliveries(recipients, 'sandbox.test', false, true)).toEqual([
      { route: 'outbound', destination: 'b.co', ordinals: [0, 3] },
      { route: 'sandbox', destination: 'sandbox.test', ordinals: [1] },
      { route: 'outbound', destination: 'd.co', ordinals: [2] },
      { route: 'outbound', destination: 'xn--bcher-kva.example', ordinals: [4] },
    ]);
    expect(planDeliveries(recipients.slice(0, 4), 'sandbox.test', true, true)).toEqual([
      { route: 'outbound', destination: 'b.co', ordinals: [0] },
      { route: 'sandbox', destination: 'sandbox.test', ordinals: [1] },
      { route: 'outbound', destination: 'd.co', ordinals: [2] },
      { route: 'outbound', destination: 'b.co', ordinals: [3] },
    ]);
  });

  it('counts no subdomain and no similar name as the sandbox', () => {
    expect(isSandboxAddress('a@sandbox.test', 'sandbox.test')).toBe(true);
    for (const email of ['a@x.sandbox.test', 'a@xsandbox.test', 'a@sandbox.test.co', 'sandbox.test@b.co']) {
      expect(isSandboxAddress(email, 'sandbox.test'), email).toBe(false);
    }
  });
});
