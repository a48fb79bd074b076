import { type Html, html } from '../html/page-markup.ts';

/** Icons of 16 × 16 units, drawn as strokes. They are decoration: the text beside them says the same. */
const PATHS = {
  overview: 'M2.5 9.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 2.5h4v4h-4zM9.5 9.5h4v4h-4z',
  approvals: 'M8 1.75l5 2v4.1c0 3-2.1 5.3-5 6.4-2.9-1.1-5-3.4-5-6.4v-4.1zM5.75 8l1.6 1.6L10.5 6.4',
  messages: 'M2 3.5h12v9H2zM2.3 4l5.7 4.6L13.7 4',
  mailbox: 'M2 9.5h3.2l1 1.75h3.6l1-1.75H14M2 9.5v3.25h12V9.5L12 3.25H4z',
  domains:
    'M8 2a6 6 0 100 12A6 6 0 008 2zM2.2 8h11.6M8 2c1.8 1.8 2.6 3.8 2.6 6S9.8 12.2 8 14c-1.8-1.8-2.6-3.8-2.6-6S6.2 3.8 8 2z',
  templates: 'M3.5 2h6l3 3v9h-9zM9.25 2v3.25h3.25M5.75 8.25h4.5M5.75 10.75h4.5',
  suppressions: 'M8 2a6 6 0 100 12A6 6 0 008 2zM3.8 3.8l8.4 8.4',
  webhooks:
    'M5.75 9.25L8 5.5M8 5.5a2 2 0 102-2M5.75 9.25a2 2 0 11-2.7 1.75M10 12.5a2 2 0 101.6-3.2M10 3.5l2.25 5M5 11h5.5',
  keys: 'M9.75 8.75a3.25 3.25 0 10-2.5-2.5L2.25 11.25v2.5h2.5v-1.75h1.75v-1.75zM10.75 5.25h.01',
  team: 'M6 7.5a2.25 2.25 0 100-4.5 2.25 2.25 0 000 4.5zM2 13c.200-2.4 1.7-3.75 4-3.75S9.8 10.6 10 13M10.5 3.25a2.1 2.1 0 010 4.1M11.5 9.4c1.6.400 2.4 1.6 2.5 3.6',
  audit: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  requests: 'M2 5h9M8.5 2.5L11 5 8.5 7.5M14 11H5M7.5 8.5L5 11l2.5 2.5',
  tickets: 'M2.5 3h11v7.5H8L5 13.25V10.5H2.5z',
  settings: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 3v3M5.5 10v3',
  reference: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  menu: 'M2 4.5h12M2 8h12M2 11.5h12',
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): Html {
  return html`<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"><path d="${PATHS[name]}"/></svg>`;
}

/** The mark of Postrider: an envelope with the notch of a horn. */
export const BRAND_MARK: Html = html`<svg viewBox="0 0 22 22" aria-hidden="true" focusable="false"><rect x="1" y="3" width="20" height="16" rx="4.5" fill="currentColor"/><path d="M5 8l6 5 6-5" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
