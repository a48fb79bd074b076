import type { Tracking } from './track-html.ts';
import type { TrackingTokens } from './tracking-token.ts';

/** The message whose HTML is to be delivered. */
export interface TrackedMessage {
  readonly accountId: string;
  readonly messageId: string;
}

/** The tracking URLs of one message, as plain data. */
export interface MessageUrls {
  readonly open: string;
  /** By the index of the link. */
  readonly clicks: readonly string[];
}

/** Makes the tracking URLs of a message. The same message has the same URLs on every attempt. */
export type TrackingUrlsOf = (tracking: Tracking, message: TrackedMessage) => MessageUrls;

export function createTrackingUrls(tokens: TrackingTokens, baseUrl: string): TrackingUrlsOf {
  return ({ links }, { accountId, messageId }) => ({
    open: `${baseUrl}${OPEN_PATH}${tokens.sign({ accountId, messageId, link: null })}`,
    clicks: links.map((_, link) => `${baseUrl}${CLICK_PATH}${tokens.sign({ accountId, messageId, link })}`),
  });
}

/** Behind the base URL: short, since links are many. A token follows. */
export const OPEN_PATH = '/t/o/';
export const CLICK_PATH = '/t/c/';
