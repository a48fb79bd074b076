import type { Scope } from '@postrider/core';
import type { LiveKind } from '../db/queries/live-topics.ts';
import { isUuid } from '../uuid-v7.ts';

/** A list, or one message, that a page of the console shows. */
export interface LiveTopic {
  /** As the page asked for it, such as `approvals` or `message:<id>`. */
  readonly name: string;
  readonly kind: LiveKind;
  readonly messageId: string | null;
  /** What a role needs in order to read it. */
  readonly scope: Scope;
}

/** Null if there is no such topic. */
export function parseLiveTopic(name: string): LiveTopic | null {
  if (Object.hasOwn(SCOPES, name)) {
    const kind = name as Exclude<LiveKind, 'message'>; // One of the keys.
    return { name, kind, messageId: null, scope: SCOPES[kind] };
  }
  const id = name.startsWith(ONE_MESSAGE) ? name.slice(ONE_MESSAGE.length) : '';
  return isUuid(id) ? { name, kind: 'message', messageId: id, scope: 'emails:read' } : null;
}

/** The topics, as a message for callers lists them. */
export const LIVE_TOPICS = 'approvals, messages, message:<id>, domains, webhooks, templates, tickets, mailbox';

const ONE_MESSAGE = 'message:';

/** The scopes of the operations that the pages call. */
const SCOPES: Readonly<Record<Exclude<LiveKind, 'message'>, Scope>> = {
  approvals: 'approvals:read',
  messages: 'emails:read',
  domains: 'domains:read',
  webhooks: 'webhooks:read',
  templates: 'templates:read',
  tickets: 'support:write',
  mailbox: 'emails:read',
};
