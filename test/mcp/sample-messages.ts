import type { FieldProblem, Message, MessageRecord, Problem } from '@postrider/core';

export const ID = '01980d3c-7a52-7c31-9d5e-2f0c6a1b4e01';
const EVENT_ID = '01980d3c-7a52-7c31-9d5e-2f0c6a1b4e02';
const AT = '2026-01-31T09:00:00.000Z';

/** A row of the log as the API returns it. */
export function sampleRecord(changes: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id: ID,
    from: 'App <app@example.com>',
    to: 'ada@example.org',
    subject: 'Hello Ada',
    status: 'delivered',
    channel: 'mcp',
    source: 'agent',
    agentName: 'support-bot',
    tags: ['welcome'],
    createdAt: AT,
    ...changes,
  };
}

/** A delivered message with content as the API returns it. */
export function sampleMessage(changes: Partial<Message> = {}): Message {
  return {
    ...sampleRecord(),
    html: '<p>Hello Ada</p>',
    text: 'Hello Ada',
    headers: { 'X-Team': 'support' },
    cc: [],
    bcc: [],
    replyTo: null,
    recipients: [{ email: 'ada@example.org', kind: 'to', status: 'delivered' }],
    attachments: [],
    scheduledAt: null,
    metadata: { order: '17' },
    template: null,
    resendOf: null,
    keyId: null,
    keyName: null,
    approval: null,
    lastError: null,
    bodyExpiresAt: '2026-03-02T09:00:00.000Z',
    bodyExpired: false,
    contentRedacted: false,
    redacted: [],
    events: [
      sampleEvent({ seq: 1, type: 'queued', recipient: null, detail: null }),
      sampleEvent({ seq: 2, type: 'delivered', detail: '250 OK' }),
    ],
    attempts: [sampleAttempt()],
    ...changes,
  };
}

export function sampleAttempt(changes: Partial<Message['attempts'][number]> = {}): Message['attempts'][number] {
  return {
    id: EVENT_ID,
    number: 1,
    recipients: ['ada@example.org'],
    startedAt: AT,
    durationMs: 42,
    transport: 'direct',
    server: { host: 'mx.example.org', address: '192.0.2.1', port: 25 },
    tls: { protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', verified: true },
    connectionReused: true,
    outcome: 'accepted',
    reply: '250 OK',
    conversation: [
      { from: 'client', line: 'RCPT TO:<ada@example.org>' },
      { from: 'server', line: '250 OK' },
    ],
    ...changes,
  };
}

export function sampleEvent(changes: Partial<Message['events'][number]> = {}): Message['events'][number] {
  return {
    id: EVENT_ID,
    seq: 1,
    type: 'delivered',
    createdAt: AT,
    recipient: 'ada@example.org',
    classification: null,
    detail: null,
    ...changes,
  };
}

/** The largest message the contract allows, and more events than any message has, all of the given letter. */
export function hugeMessage(letter: string): Message {
  const address = `${letter.repeat(240)}@example.org`;
  const fifty = Array.from({ length: 50 }, (_, index) => `${index}${address}`);
  const map = (size: number, value: string) =>
    Object.fromEntries(Array.from({ length: size }, (_, index) => [`X-${index}-${'n'.repeat(60)}`, value]));
  return sampleMessage({
    from: `${letter.repeat(200)} <${address}>`,
    to: fifty.join(', '),
    subject: letter.repeat(998),
    agentName: letter.repeat(128),
    tags: Array.from({ length: 10 }, (_, index) => `${index}${letter.repeat(60)}`),
    html: letter.repeat(2_000_000),
    text: letter.repeat(2_000_000),
    headers: map(50, letter.repeat(998)),
    cc: fifty,
    bcc: fifty,
    replyTo: address,
    recipients: fifty.map((email) => ({ email, kind: 'bcc', status: 'bounced' })),
    attachments: Array.from({ length: 20 }, () => ({
      filename: letter.repeat(255),
      contentType: letter.repeat(100),
      size: 1,
    })),
    metadata: map(20, letter.repeat(1_024)),
    template: letter.repeat(100),
    lastError: letter.repeat(4_000),
    events: Array.from({ length: 1_000 }, (_, index) =>
      sampleEvent({
        seq: index + 1,
        type: 'bounced',
        classification: 'hard',
        recipient: address,
        detail: letter.repeat(2_000),
      }),
    ),
    attempts: Array.from({ length: 100 }, () =>
      sampleAttempt({
        ...{ outcome: 'deferred', recipients: fifty, reply: letter.repeat(1_000) },
        conversation: Array.from({ length: 200 }, () => ({ from: 'server', line: letter.repeat(500) })),
      }),
    ),
  });
}

export function sampleProblem(changes: Partial<Problem> = {}): Problem {
  return {
    type: 'http://127.0.0.1:8025/reference#recipient_suppressed',
    title: 'A recipient is suppressed',
    status: 422,
    detail: 'At least one recipient is on the suppression list',
    code: 'recipient_suppressed',
    fix: 'Remove the recipients named in `recipients`.',
    retryable: false,
    requestId: 'req_17',
    ...changes,
  };
}

/** The refusal that the API has for arguments that break a rule. */
export function invalidArguments(errors: FieldProblem[]): Problem {
  return sampleProblem({
    title: 'The request is not valid',
    code: 'validation_failed',
    detail: `${errors.length} fields break a rule`,
    fix: 'Correct the fields named in `errors` and send again.',
    errors,
  });
}
