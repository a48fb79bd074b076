import {
  type AccountEventType,
  type EmailEventData,
  EVENT_API_VERSION,
  type EventData,
  NO_APPROVERS,
  type WebhookEvent,
  type WebhookEventType,
} from '@postrider/core';

/** The objects that a sample event refers to. */
export interface SampleFacts {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly now: Date;
}

/** A sample event in the format of real ones, for testing a receiver. */
export function makeSampleEvent({ id, type, now }: SampleFacts): WebhookEvent {
  return { id, type, createdAt: now.toISOString(), apiVersion: EVENT_API_VERSION, data: sampleData(type, now) };
}

function sampleData(type: WebhookEventType, now: Date): EventData<WebhookEventType> {
  const make = Object.hasOwn(ACCOUNT_SAMPLES, type) ? ACCOUNT_SAMPLES[type as AccountEventType] : null; // hasOwn has just confirmed it.
  return make === null ? sampleEmail(type, now) : make(now);
}

/** Ids that do not exist: the records they refer to are made up as well. */
const EMAIL_ID = '01900000-0000-7000-8000-000000000001';
const RECORD_ID = '01900000-0000-7000-8000-000000000002';
const KEY_ID = '01900000-0000-7000-8000-000000000003';
const MEMBER_ID = '01900000-0000-7000-8000-000000000004';
const HOUR_MS = 3_600_000;

/** The fields of the other event types about an email, in addition to the type name. */
const EMAIL_SAMPLES: Readonly<Record<string, Partial<EmailEventData>>> = {
  'email.bounced': { classification: 'hard', detail: '550 5.1.1 There is no such mailbox here' },
  'email.complained': { classification: 'spam' },
  'email.deferred': { detail: '451 4.7.1 Greylisted, please try again later' },
  'email.delivered': { detail: '250 2.0.0 Ok' },
  'email.clicked': { detail: 'https://example.com/orders/1234' },
};

function sampleEmail(type: WebhookEventType, now: Date): EmailEventData {
  return {
    emailId: EMAIL_ID,
    seq: type === 'email.queued' ? 1 : 3,
    recipient: type === 'email.queued' ? null : 'ada@example.org',
    from: 'Example Shop <orders@mail.example.com>',
    to: 'ada@example.org',
    subject: 'Your order 1234',
    tags: ['order'],
    metadata: { orderId: '1234' },
    channel: 'api',
    source: 'backend',
    agentName: null,
    classification: null,
    detail: null,
    occurredAt: now.toISOString(),
    ...EMAIL_SAMPLES[type],
  };
}

const ACCOUNT_SAMPLES: { readonly [Type in AccountEventType]: (now: Date) => EventData<Type> } = {
  'approval.requested': (now) => sampleApproval(now),
  'approval.decided': (now) => ({
    ...sampleApproval(now),
    status: 'approved',
    decidedAt: now.toISOString(),
    decidedBy: RECORD_ID,
    outcome: 'queued',
  }),
  'approval.reminder': (now) => sampleApproval(now),
  'approval.voted': (now) => ({
    ...sampleApproval(now),
    approvers: { ...NO_APPROVERS, count: 2 },
    votes: [{ memberId: MEMBER_ID, at: now.toISOString(), note: null }],
  }),
  'domain.verified': (now) => sampleDomain('verified', now),
  'domain.degraded': (now) => sampleDomain('degraded', now),
  'domain.failed': (now) => sampleDomain('failed', now),
  'suppression.added': (now) => sampleSuppression(now),
  'suppression.removed': (now) => sampleSuppression(now),
  'quota.threshold': () => ({ limit: 100_000, used: 80_000, threshold: 80 }),
  'key.expiring': (now) => sampleKey(now),
  'webhook.disabled': (now) => ({ ...sampleEndpoint(now), status: 'disabled', disabledReason: 'gone' }),
  'webhook.test': (now) => sampleEndpoint(now),
};

function sampleApproval(now: Date): EventData<'approval.requested'> {
  return {
    id: RECORD_ID,
    emailId: EMAIL_ID,
    status: 'pending',
    reasons: ['firstContact'],
    revision: 1,
    contentHash: 'sample',
    keyId: KEY_ID,
    keyName: 'Support agent',
    agentName: 'support-agent',
    source: 'agent',
    channel: 'mcp',
    from: 'Example Shop <support@mail.example.com>',
    to: ['ada@example.org'],
    cc: [],
    bcc: [],
    subject: 'About your order 1234',
    attachments: [],
    scheduledAt: null,
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + 72 * HOUR_MS).toISOString(),
    decidedAt: null,
    decidedBy: null,
    approvers: NO_APPROVERS,
    votes: [],
    note: null,
    rejectCode: null,
    edited: [],
    outcome: null,
    problem: null,
    replyTo: null,
    unsubscribe: false,
  };
}

function sampleDomain(status: 'verified' | 'degraded' | 'failed', now: Date): EventData<'domain.verified'> {
  const lost = status === 'verified' ? null : 'The DKIM record is no longer published.';
  return {
    id: RECORD_ID,
    name: 'mail.example.com',
    status,
    statusReason: lost,
    dkimSelector: 'postrider',
    records: [
      {
        purpose: 'dkim',
        type: 'TXT',
        name: 'postrider._domainkey',
        host: 'postrider._domainkey.mail.example.com',
        value: 'v=DKIM1; k=rsa; p=…',
        priority: null,
        ttl: 3_600,
        required: true,
        status: lost === null ? 'pass' : 'fail',
        reason: lost,
        found: lost === null ? ['v=DKIM1; k=rsa; p=…'] : [],
        checkedAt: now.toISOString(),
      },
    ],
    createdAt: now.toISOString(),
    verifiedAt: status === 'failed' ? null : now.toISOString(),
    lastCheckedAt: now.toISOString(),
  };
}

function sampleSuppression(now: Date): EventData<'suppression.added'> {
  return {
    id: RECORD_ID,
    email: 'ada@example.org',
    reason: 'hard_bounce',
    emailId: EMAIL_ID,
    note: null,
    createdAt: now.toISOString(),
    expiresAt: null,
  };
}

function sampleKey(now: Date): EventData<'key.expiring'> {
  return {
    id: KEY_ID,
    name: 'Backend',
    mode: 'live',
    prefix: 'pr_live_',
    last4: '0000',
    scopes: ['emails:send'],
    rateLimit: 600,
    recipientAllowlist: null,
    ipAllowlist: null,
    attachmentHosts: null,
    approvalMode: 'off',
    holdWhen: null,
    approvers: NO_APPROVERS,
    persona: null,
    lockPersona: false,
    sendLimit: null,
    createdAt: now.toISOString(),
    lastUsedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + 72 * HOUR_MS).toISOString(),
    revokedAt: null,
    pausedAt: null,
    client: null,
  };
}

function sampleEndpoint(now: Date): EventData<'webhook.test'> {
  return {
    id: RECORD_ID,
    url: 'https://example.com/webhooks/postrider',
    description: null,
    events: [],
    status: 'enabled',
    disabledReason: null,
    failingSince: null,
    createdAt: now.toISOString(),
  };
}
