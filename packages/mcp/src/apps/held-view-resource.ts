import { HELD_VIEW_HASH, HELD_VIEW_HTML } from './generated/held-view-html.ts';
import { UI_MIME_TYPE } from './ui-extension.ts';

const PREFIX = 'ui://postrider/held-send/';

/** The address changes with the page, because clients may keep a page for as long as they like. */
export const HELD_VIEW_URI = `${PREFIX}${HELD_VIEW_HASH}.html`;

/** Nothing: no requests, no files, no frames, and no permission of the browser. */
const UI_META = {
  ui: {
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    prefersBorder: false,
  },
} as const;

/** The page as listed, so that a client can review it before it is shown. */
export const HELD_VIEW_RESOURCE = {
  uri: HELD_VIEW_URI,
  name: 'held-send',
  title: 'Held send',
  description: 'Shows a held send and its state, and leads to the page where an approver decides.',
  mimeType: UI_MIME_TYPE,
  _meta: UI_META,
};

/**
 * The page under any of its addresses: while servers are being updated, a client may have the address from another one. Null if the address
 * is not ours.
 */
export function readHeldView(uri: string) {
  if (!/^ui:\/\/postrider\/held-send\/[0-9a-f]{12}\.html$/.test(uri)) return null;
  return { uri, mimeType: UI_MIME_TYPE, text: HELD_VIEW_HTML, _meta: UI_META };
}
