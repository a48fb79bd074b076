import { MESSAGE_EVENT_TYPES, type MessageEventType } from './events.ts';

/** Events that are not about a message, with the API's names. Each says when it is written. */
export const ACCOUNT_EVENT_TYPES = {
  'approval.requested': 'A send was held and waits for an approver.',
  'approval.voted': 'A person approved a hold, which still needs more approvals.',
  'approval.decided': 'A hold was approved, rejected or withdrawn, or it expired.',
  'approval.reminder': 'A hold is still undecided: sent at half and at nine tenths of its time.',
  'domain.verified': 'The required records of a sending domain were found.',
  'domain.degraded': 'A verified domain lost a required record; it can still send for a while.',
  'domain.failed': 'The required records of a domain were not found in time; it can no longer send.',
  'suppression.added': 'An address was added to the suppression list.',
  'suppression.removed': 'An address was removed from the suppression list.',
  'quota.threshold': 'The account has used 80 % or 100 % of its monthly quota; once a month each.',
  'key.expiring': 'An API key expires within days.',
  'webhook.disabled': 'An endpoint responded with 410, or failed for days, and is now disabled.',
  'webhook.test': 'A test was requested.',
} as const;

export type AccountEventType = keyof typeof ACCOUNT_EVENT_TYPES;
export type EmailEventType = `email.${MessageEventType}`;
export type WebhookEventType = EmailEventType | AccountEventType;

// Object.keys widens to string; the catalogs hold exactly these names.
export const EMAIL_EVENT_NAMES = Object.keys(MESSAGE_EVENT_TYPES).map((type) => `email.${type}`) as EmailEventType[];
const ACCOUNT_EVENT_NAMES = Object.keys(ACCOUNT_EVENT_TYPES) as AccountEventType[];

/** Every event type that an endpoint can receive. */
export const WEBHOOK_EVENT_NAMES: readonly WebhookEventType[] = [...EMAIL_EVENT_NAMES, ...ACCOUNT_EVENT_NAMES];

/** When an event of this type is written. */
export function describeEventType(type: WebhookEventType): string {
  if (isAccountEvent(type)) return ACCOUNT_EVENT_TYPES[type];
  // Any type that is not an account event is a message event with the prefix `email.`.
  return MESSAGE_EVENT_TYPES[type.slice('email.'.length) as MessageEventType];
}

function isAccountEvent(type: WebhookEventType): type is AccountEventType {
  return Object.hasOwn(ACCOUNT_EVENT_TYPES, type);
}

/** The version of the payload format. It changes if receivers of the old format could not read the new one. */
export const EVENT_API_VERSION = 'v1';

/** The parts of the monthly quota, in percent, that trigger an event. */
export const QUOTA_THRESHOLDS = [80, 100] as const;
