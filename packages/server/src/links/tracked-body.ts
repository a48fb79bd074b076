import type { Tracking } from './track-html.ts';
import type { TrackingTokens } from './tracking-token.ts';

/** The message whose HTML is delivered. */
export interface TrackedMessage {
  readonly accountId: string;
  readonly messageId: string;
}

/** The tracking URLs of one message, as plain data. */
export interface MessageUrls {
  readonly open: string;
  /** By link index. */
  readonly clicks: readonly string[];
}

/** Creates the tracking URLs of a message. They are the same on every attempt. */
export type TrackingUrlsOf = (tracking: Tracking, message: TrackedMessage) => MessageUrls;

export function createTrackingUrls(tokens: TrackingTokens, baseUrl: string): TrackingUrlsOf {
  return ({ links }, { accountId, messageId }) => ({
    open: `${baseUrl}${OPEN_PATH}${tokens.sign({ accountId, messageId, link: null })}`,
    clicks: links.map((_, link) => `${baseUrl}${CLICK_PATH}${tokens.sign({ accountId, messageId, link })}`),
  });
}

/** Follows the base URL: short, because there are many links. A token follows. */
export const OPEN_PATH = '/t/o/';
export const CLICK_PATH = '/t/c/';
