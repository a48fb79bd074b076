import { readProtectedLinks } from '../../links/protected-links.ts';
import { planTracking } from '../../links/track-html.ts';
import type { ContentTracking } from './send-content.ts';

export interface TrackingSwitches {
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
}

/** What is tracked in a send under its account's switches. Null if nothing is: no HTML, no switch, or nothing trackable in it. */
export function planContentTracking(
  html: string | null,
  headers: Readonly<Record<string, string>> | undefined,
  { trackOpens, trackClicks }: TrackingSwitches,
): ContentTracking | null {
  if (html === null || !(trackOpens || trackClicks)) return null;
  return planTracking(html, { opens: trackOpens, clicks: trackClicks }, readProtectedLinks(headers ?? {}));
}
