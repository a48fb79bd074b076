import { showCopyButtons } from './copy.ts';
import { showLocalSchedules } from './local-schedule.ts';
import { showLocalTimes } from './local-time.ts';
import { offerPdfs } from './pdf.ts';

/** Runs over a part of the page when it is loaded, and again when it was replaced. */
export function enhance(part: ParentNode): void {
  showLocalTimes(part);
  showCopyButtons(part);
  showLocalSchedules(part);
  offerPdfs(part);
}
