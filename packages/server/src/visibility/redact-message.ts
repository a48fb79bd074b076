import { maySee, type Viewer } from '@postrider/core';

/** The owner of a message, and the recipients that other recipients do not see. */
export interface MessageOwner {
  /** The key that issued it; null if the message is no longer stored. */
  readonly keyId: string | null;
  /** The addresses of its blind recipients. */
  readonly blind: readonly string[];
}

interface ShownEvent {
  readonly type: string;
  readonly recipient: string | null;
  readonly detail: string | null;
}

interface ShownAttempt {
  readonly recipients: readonly string[];
  readonly reply: string | null;
  readonly conversation: readonly object[] | null;
}

/** The fields of a message that not every caller sees, as messages, holds, events and tickets show them. */
export interface ShownMessage {
  readonly html?: string | null;
  readonly text?: string | null;
  readonly headers?: Readonly<Record<string, string>> | null;
  readonly attachments?: readonly object[] | null;
  readonly bcc?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly replyTo?: string | null;
  readonly lastError?: string | null;
  readonly keyId?: string | null;
  readonly keyName?: string | null;
  readonly approval?: {
    readonly note: string | null;
    readonly reasons: readonly string[];
    readonly edited: readonly string[];
  } | null;
  readonly recipients?: readonly { readonly email: string; readonly kind: string }[];
  readonly events?: readonly ShownEvent[];
  readonly attempts?: readonly ShownAttempt[];
}

/** The replacement for a field that the caller may not see. */
const CONTENT = { html: null, text: null, headers: null, attachments: null } as const;
const PRIVATE = { bcc: [], metadata: {}, replyTo: null, lastError: null } as const;
/** The replacement for why a message was held, and for what an approver did with it. */
const UNSEEN_DECISION = { reasons: [], edited: [], note: null } as const;
const KEY = { keyId: null, keyName: null } as const;

/**
 * A message as a caller may see it, and the names of the fields that were left out or shortened. Every read path of messages uses this
 * function. The rules are VISIBILITY_RULES of the contract.
 */
export function redactMessage<Shown extends ShownMessage>(
  shown: Shown,
  owner: MessageOwner,
  viewer: Viewer,
): { readonly message: Shown; readonly redacted: readonly string[] } {
  const seesContent = maySee(viewer, 'message.content', owner.keyId);
  const seesPrivate = maySee(viewer, 'message.private', owner.keyId);
  const seesKey = maySee(viewer, 'message.key', owner.keyId);
  const hidden = { ...(seesContent ? {} : CONTENT), ...(seesPrivate ? {} : PRIVATE), ...(seesKey ? {} : KEY) };
  const message: Record<string, unknown> = Object.fromEntries(Object.entries(shown));
  const redacted: string[] = [];
  const hide = (name: string, value: unknown) => {
    if (!Object.hasOwn(shown, name)) return;
    message[name] = value;
    redacted.push(name);
  };
  for (const [name, value] of Object.entries(hidden)) hide(name, value);
  const { recipients, events, attempts, approval } = shown;
  // The reasons name what a message contains, and the rules that match may be chosen to find that out.
  if (!seesPrivate && approval != null) hide('approval', { ...approval, ...UNSEEN_DECISION });
  if (!seesPrivate && recipients?.some(({ kind }) => kind === 'bcc')) {
    hide(
      'recipients',
      recipients.filter(({ kind }) => kind !== 'bcc'),
    );
  }
  if (events !== undefined) {
    const visible = events.flatMap((event) => redactEvent(event, owner, { seesContent, seesPrivate, seesKey }) ?? []);
    if (visible.some((event, index) => event !== events[index]) || visible.length < events.length) {
      hide('events', visible);
    }
  }
  if (!seesPrivate && attempts !== undefined) {
    const visible = attempts.flatMap((attempt) => redactAttempt(attempt, owner) ?? []);
    if (visible.some((attempt, index) => attempt !== attempts[index]) || visible.length < attempts.length) {
      hide('attempts', visible);
    }
  }
  // Only values of declared fields were replaced, with values of their types.
  return { message: message as unknown as Shown, redacted };
}

/** Events whose details are the reasons of a hold, or the note of its approver. */
const ABOUT_HOLD: ReadonlySet<string> = new Set(['pending_approval', 'approved', 'rejected']);

/** One event of a message as a caller may see it; null if it concerns a recipient that the caller may not know. */
export function redactEvent<Event extends ShownEvent>(
  event: Event,
  { blind }: MessageOwner,
  visibility: { readonly seesContent: boolean; readonly seesPrivate: boolean; readonly seesKey: boolean },
): Event | null {
  const { type, recipient, detail } = event;
  const isBlind = recipient !== null && blind.some((address) => isSame(address, recipient));
  if (isBlind && !visibility.seesPrivate) return null;
  const isContent = type === 'clicked' && !visibility.seesContent;
  const isNote = ABOUT_HOLD.has(type) && !visibility.seesPrivate;
  const namesKey = type === 'canceled' && !visibility.seesKey;
  const namesBlind = !visibility.seesPrivate && detail !== null && blind.some((address) => isWithin(address, detail));
  return detail !== null && (isContent || isNote || namesKey || namesBlind) ? { ...event, detail: null } : event;
}

/**
 * A delivery attempt for a caller who may not know the blind recipients. Nothing of a conversation with one of them is shown: a server may
 * name an address in any form.
 */
function redactAttempt<Attempt extends ShownAttempt>(attempt: Attempt, { blind }: MessageOwner): Attempt | null {
  const recipients = attempt.recipients.filter((recipient) => !blind.some((address) => isSame(address, recipient)));
  if (recipients.length === attempt.recipients.length) return attempt;
  return recipients.length === 0 ? null : { ...attempt, recipients, reply: null, conversation: null };
}

/** What a caller sees of a message besides the log. */
export function visibilityOf(viewer: Viewer, { keyId }: Pick<MessageOwner, 'keyId'>) {
  return {
    seesContent: maySee(viewer, 'message.content', keyId),
    seesPrivate: maySee(viewer, 'message.private', keyId),
    seesKey: maySee(viewer, 'message.key', keyId),
  };
}

function isSame(address: string, other: string): boolean {
  return address.toLowerCase() === other.toLowerCase();
}

function isWithin(address: string, text: string): boolean {
  return text.toLowerCase().includes(address.toLowerCase());
}
