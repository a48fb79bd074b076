import { type Tracking, trackHtml } from './track-html.ts';
import type { TrackingTokens } from './tracking-token.ts';

/** The message whose HTML is to be delivered. */
export interface TrackedMessage {
  readonly accountId: string;
  readonly messageId: string;
}

/** Makes the HTML of a tracked message as it is delivered. The same message gives the same bytes on every attempt. */
export type TrackBody = (html: string, tracking: Tracking, message: TrackedMessage) => string;

export function createTrackBody(tokens: TrackingTokens, baseUrl: string): TrackBody {
  return (html, tracking, { accountId, messageId }) =>
    trackHtml(html, tracking, {
      open: `${baseUrl}${OPEN_PATH}${tokens.sign({ accountId, messageId, link: null })}`,
      click: (link) => `${baseUrl}${CLICK_PATH}${tokens.sign({ accountId, messageId, link })}`,
    });
}

/** Behind the base URL: short, since links are many. A token follows. */
export const OPEN_PATH = '/t/o/';
export const CLICK_PATH = '/t/c/';
