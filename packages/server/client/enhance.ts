import { showCopyButtons } from './copy.ts';
import { showLocalSchedules } from './local-schedule.ts';
import { showLocalTimes } from './local-time.ts';
import { offerPdfs } from './pdf.ts';

/** Runs over a part of the page that was replaced. */
export function enhance(part: ParentNode): void {
  showLocalTimes(part);
  enhanceControls(part);
}

/** Everything but the times, which are slow when they are first written. */
export function enhanceControls(part: ParentNode): void {
  showCopyButtons(part);
  showLocalSchedules(part);
  offerPdfs(part);
}
