import { describe, expect, it } from 'vitest';
import { type Classification, classifyReply } from '../../packages/server/src/delivery/classify-reply.ts';
import { toServerReply } from '../../packages/server/src/delivery/smtp-reply-text.ts';

/** Classifies a reply as it comes from the wire, without its line ends. */
function classify(line: string, kind: 'refused' | 'expired' = 'refused', aboutRecipient = true): Classification {
  return classifyReply(toServerReply(Number(line.slice(0, 3)), line.slice(4), 'mx.test', aboutRecipient), kind);
}

describe('classifyReply', () => {
  it.each([
    // By enhanced code.
    ['550 5.1.1 The email account that you tried to reach does not exist.', 'hard'],
    ['550 5.1.1 <ann@x.test>: Recipient address rejected: User unknown in virtual mailbox table', 'hard'],
    ["553 5.1.2 We weren't able to find the recipient domain.", 'hard'],
    ['501 5.1.3 Bad recipient address syntax', 'hard'],
    ['551 5.1.6 The recipient has moved', 'hard'],
    ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found', 'hard'],
    ['556 5.1.10 Recipient domain has a null MX', 'hard'],
    ['550 5.2.1 The email account that you tried to reach is inactive.', 'hard'],
    ['552 5.2.2 The email account that you tried to reach is over quota.', 'soft'],
    ['452 4.2.2 The email account that you tried to reach is over quota.', 'soft'],
    ['552 5.3.1 Mail system full', 'soft'],
    ['554 5.4.7 Delivery expired', 'soft'],
    ['550 5.7.1 Service unavailable; client host blocked using a list', 'block'],
    ['550 5.7.26 This mail has been blocked because the sender is unauthenticated.', 'block'],
    ['554 5.7.9 Message not accepted for policy reasons.', 'block'],
    // By words alone.
    ['550 No such user here', 'hard'],
    ['550 <ann@x.test>: User unknown', 'hard'],
    ['550 Unknown user', 'hard'],
    ['550 Requested action not taken: mailbox does not exist', 'hard'],
    ['550 Invalid recipient', 'hard'],
    ["554 delivery error: This user doesn't have an account here. Account ann not found", 'hard'],
    ['550 Mailbox disabled', 'hard'],
    ['556 Domain does not accept mail', 'hard'],
    ['552 Mailbox is full', 'soft'],
    ['550 quota exceeded', 'soft'],
    ['554 Your address 192.0.2.1 is listed at zen.spamhaus.org', 'block'],
    ['550 Message rejected as spam by content filtering', 'block'],
    ['554 Relay access denied', 'block'],
    ['550 SPF check failed', 'block'],
    ['550 Too many connections from your host, throttled', 'soft'],
    // Not enough to say, or said about us.
    ['550 5.4.1 Recipient address rejected: Access denied', 'unknown'],
    ['550 Your account is suspended', 'unknown'],
    ['550 Account not found', 'unknown'],
    ['550 Your IP address is unknown here', 'unknown'],
    ['550 HELO address invalid', 'unknown'],
    ['550 Requested action not taken: mailbox unavailable', 'unknown'],
    ['550 5.1.0 Address rejected', 'unknown'],
    ['550 5.1.7 Bad sender address', 'unknown'],
    ['550 5.1.8 Sender domain does not exist', 'unknown'],
    ['550 Sender address rejected: user unknown', 'unknown'],
    ['554 Transaction failed', 'unknown'],
    ['550 no', 'unknown'],
    ['552 5.3.4 Message too big for system', 'unknown'],
    ['550 5.5.0 Command rejected', 'unknown'],
  ] as const)('%s -> %s', (line, classification) => {
    expect(classify(line)).toBe(classification);
  });

  it('reads a reply of several lines as one', () => {
    expect(classify('550 We looked for it, but this user\ndoes not\nexist')).toBe('hard');
    expect(classify('550 5.7.1 Your message\n5.7.1 was refused')).toBe('block');
  });

  it('does not believe "no such address" where the words speak of something else', () => {
    expect(classify('550 5.1.1 Blocked by our policy, see https://x.test/blocklist')).toBe('block');
    expect(classify('550 5.1.1 Mailbox full')).toBe('soft');
    expect(classify('550 5.1.1 Sender verify failed')).toBe('unknown');
    expect(classify('550 5.1.1 Greylisted, try again later')).toBe('soft');
  });

  it('calls nothing hard that answered something wider than the recipient', () => {
    for (const line of ['550 5.1.1 no such user', '550 User unknown', '556 no mail here']) {
      expect(classify(line, 'refused', false), line).toBe('unknown');
    }
    expect(classify('554 5.7.1 you are blocked', 'refused', false)).toBe('block');
  });

  it('calls nothing hard that was put off until it expired', () => {
    expect(classify('450 4.1.1 User unknown', 'expired')).toBe('soft');
    expect(classify('550 5.1.1 User unknown', 'expired')).toBe('soft');
    expect(classify('451 4.3.0 Temporary failure', 'expired')).toBe('soft');
    expect(classify('450 what', 'expired')).toBe('soft');
    expect(classify('451 4.7.1 Greylisted', 'expired')).toBe('soft');
    expect(classify('421 4.7.0 Unusual rate of unsolicited mail from your address', 'expired')).toBe('block');
    expect(classify('450 4.1.1 User unknown', 'refused')).toBe('soft');
  });

  it('calls a network that failed soft, and a refusal of ours unknown', () => {
    expect(classifyReply(null, 'expired')).toBe('soft');
    expect(classifyReply(null, 'refused')).toBe('unknown');
  });

  it('takes its time with no text, however long', () => {
    const began = performance.now();
    for (const text of [
      'user '.repeat(200),
      'mailbox full '.repeat(80),
      `${'a'.repeat(990)} user`,
      'account  '.repeat(110),
    ]) {
      classify(`550 ${text}`);
    }
    expect(performance.now() - began).toBeLessThan(200);
  });
});
