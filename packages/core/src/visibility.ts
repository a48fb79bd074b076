import type { Scope } from './scopes.ts';
import type { WebhookEventType } from './webhook-events.ts';

/** Who can see a part of the stored data. */
export interface VisibilityRule {
  /** A description of what is shown. */
  readonly shows: string;
  /** The scopes of which the owning key needs one, besides the scope of the operation. Empty: none. */
  readonly own: readonly Scope[];
  /** The scopes of which every other caller needs one. Empty: none. */
  readonly others: readonly Scope[];
  /** What callers without these scopes get. */
  readonly otherwise: string;
  /** Whether every signed-in user sees it, regardless of role. */
  readonly users?: true;
}

/**
 * What callers see of objects that other keys of the account created. A message, also while it is held, belongs to the key that issued it
 * (for a resend, the key of the first send); the record of a hold belongs to the key that asked for it; a draft belongs to its author. The
 * server calls `maySee` on every read path. docs/keys.md is generated from this table.
 */
export const VISIBILITY_RULES = {
  'message.log': {
    shows:
      'of a message: sender, `to`, `cc`, subject, status, provenance, tags, template, times, and the events and delivery attempts about these recipients',
    own: ['emails:read'],
    others: ['emails:read'],
    otherwise: 'nothing',
  },
  'message.private': {
    shows:
      'of a message: bcc recipients, the events about them and the conversations of delivery attempts that had them, `metadata`, `replyTo`, `lastError`, and why it was held and what its approver did: `reasons`, `edited` and `note` of `approval`, and the details of `pending_approval`, `approved` and `rejected` events; also as matches of `q` and `recipient`',
    own: ['emails:read'],
    others: ['emails:content-all'],
    otherwise: 'omitted, and listed in `redacted`; `q` and `recipient` do not match such recipients',
  },
  'message.content': {
    shows: 'of a message: `html`, `text`, `headers`, `attachments`, and the URLs of `clicked` events',
    own: ['emails:content'],
    others: ['emails:content-all'],
    otherwise: 'null, and listed in `redacted`',
  },
  'message.key': {
    shows:
      'of a message: `keyId` and `keyName`, the key that it was sent under, and who canceled it, the detail of its `canceled` event; also as a match of `key_id`',
    own: ['emails:read'],
    others: ['keys:read'],
    otherwise: 'null, and listed in `redacted`; `key_id` does not match',
  },
  'hold.record': {
    shows:
      'a held send and the `approval.…` events about it: who asked for it, its approvers with the ids of the members, their votes, the decision and the notes',
    own: [],
    others: ['approvals:read'],
    otherwise: '404 `not_found`, and none of its events',
  },
  'hold.content': {
    shows: 'of a held send: blind recipients, `replyTo`, body, headers, attachments, `contentHash`',
    own: [],
    others: ['approvals:read', 'emails:content-all'],
    otherwise: 'omitted: a key sees this much of a hold on its own resend of another sender’s message',
  },
  'hold.deciders': {
    shows: 'of a held send: `receipt`, if members decided, because it has their addresses',
    own: ['team:read'],
    others: ['team:read'],
    otherwise: 'null',
  },
  'key.record': {
    shows: 'a key, and the `key.…` events about it',
    own: [],
    others: ['keys:read'],
    otherwise: 'nothing',
  },
  'domain.record': {
    shows: 'a sending domain, and the `domain.…` events about it',
    own: ['domains:read'],
    others: ['domains:read'],
    otherwise: 'nothing',
  },
  'suppression.record': {
    shows: 'an entry of the suppression list, and the `suppression.…` events about it',
    own: ['suppressions:read'],
    others: ['suppressions:read'],
    otherwise: 'nothing',
  },
  'template.draft': {
    shows: 'a draft of a template, by its version, rendered, or as the only version there is',
    own: [],
    others: ['approvals:read', 'approvals:decide'],
    otherwise: '404 `not_found`, and the version is not in `versions`',
    users: true,
  },
  'webhook.address': {
    shows: 'of a webhook endpoint: the URL after its host, and what the receiver responded to deliveries',
    own: ['webhooks:write'],
    others: ['webhooks:write'],
    otherwise: 'the URL ends in `/***`; `responseBody` is null',
  },
  'audit.member': {
    shows: 'of an entry of the audit log about a member: the address, `details.email`',
    own: ['team:read'],
    others: ['team:read'],
    otherwise: 'null, and `hash` and `previousHash` of all entries too',
  },
  'key.grantor': {
    shows: 'of the key of a program that signed in: the address of the member who allowed it, `client.grantedBy.email`',
    own: ['team:read'],
    others: ['team:read'],
    otherwise: 'null',
  },
} as const satisfies Readonly<Record<string, VisibilityRule>>;

export type Visibility = keyof typeof VISIBILITY_RULES;

/** `approval` of `approval.decided`. */
export type EventSubject = WebhookEventType extends `${infer Subject}.${string}` ? Subject : never;

/** What a caller must be able to see in order to be shown events about it; null: every caller that may read events sees these. */
export const EVENT_VISIBILITY: Readonly<Record<EventSubject, Visibility | null>> = {
  email: 'message.log',
  approval: 'hold.record',
  key: 'key.record',
  domain: 'domain.record',
  suppression: 'suppression.record',
  quota: null,
  webhook: null,
};

/** The caller of an operation, with what determines its visibility. */
export interface Viewer {
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly isUser: boolean;
}

/** What another key's secret would show: all of this the key sees of its own messages and holds. */
const SHOWN_BY_SECRET = ['message.private', 'message.content', 'hold.record', 'hold.content'] as const;

/** Whether another key's secret would show a caller nothing that it does not see anyway. */
export function seesWithoutSecret(viewer: Viewer): boolean {
  return SHOWN_BY_SECRET.every((part) => maySee(viewer, part, null));
}

/** Whether a caller sees a part of something. @param ownerKeyId null where the owner is unknown */
export function maySee({ keyId, scopes, isUser }: Viewer, part: Visibility, ownerKeyId: string | null): boolean {
  const rule: VisibilityRule = VISIBILITY_RULES[part];
  if (isUser && rule.users) return true;
  const has = (wanted: readonly Scope[]) => wanted.length === 0 || wanted.some((scope) => scopes.includes(scope));
  return has(rule.others) || (ownerKeyId === keyId && has(rule.own));
}
