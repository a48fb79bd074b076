import { readProtectedLinks } from '../../links/protected-links.ts';
import { planTracking } from '../../links/track-html.ts';
import type { ContentTracking } from './send-content.ts';

export interface TrackingSwitches {
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
}

/** What of a send is tracked under its account's switches; null where that is nothing: no html, no switch, or nothing to follow in it. */
export function planContentTracking(
  html: string | null,
  headers: Readonly<Record<string, string>> | undefined,
  { trackOpens, trackClicks }: TrackingSwitches,
): ContentTracking | null {
  if (html === null || !(trackOpens || trackClicks)) return null;
  return planTracking(html, { opens: trackOpens, clicks: trackClicks }, readProtectedLinks(headers ?? {}));
}
