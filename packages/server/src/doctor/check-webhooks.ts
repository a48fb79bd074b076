import type { TroubledEndpoint, WebhookQueue } from '../db/queries/webhook-queue.ts';
import { type DoctorCheck, fail, pass, warn } from './doctor-check.ts';

/** Workers look four times a second, so that what is due for minutes is left lying. */
const LATE_MS = 300_000;
/** A few by name; the list of the account has the rest. */
const NAMED = 3;

const WORK =
  'Start a server with the role worker (`postrider-server start`), or add some where they cannot keep up; read its log.';

/** Whether events reach endpoints, and which endpoints take none. */
export function judgeWebhooks(queue: WebhookQueue, troubled: readonly TroubledEndpoint[], now: Date): DoctorCheck {
  const late = describeLate(queue, now);
  if (late !== null) return fail('webhooks', late, WORK);
  const { working, failing, manual, gone, failed } = queue.endpoints;
  const all = working + failing + manual + gone + failed;
  if (gone + failed > 0) {
    const message = `${counted(gone + failed)} disabled because they failed for days or answered 410: ${named(troubled)}.`;
    return warn('webhooks', message, fixOf(troubled));
  }
  if (failing > 0) return warn('webhooks', `${counted(failing)} failing: ${named(troubled)}.`, fixOf(troubled));
  if (all === 0) return pass('webhooks', 'There are no webhook endpoints.');
  return pass('webhooks', `${counted(working)} taking events, ${queue.waiting} deliveries wait.`);
}

function describeLate({ oldestDueAt, oldestBacklogAt, due, backlog }: WebhookQueue, now: Date): string | null {
  const minutesOf = (at: Date | null) => (at === null ? 0 : now.getTime() - at.getTime()) / 60_000;
  const [stored, delivered] = [minutesOf(oldestBacklogAt), minutesOf(oldestDueAt)];
  const parts = [
    stored * 60_000 >= LATE_MS
      ? `${backlog} events wait to be stored, the oldest for ${Math.floor(stored)} minutes.`
      : '',
    delivered * 60_000 >= LATE_MS ? `${due} deliveries are due, the oldest for ${Math.floor(delivered)} minutes.` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(' ');
}

function named(troubled: readonly TroubledEndpoint[]): string {
  const some = troubled.slice(0, NAMED).map(({ accountName, id, url, failingSince }) => {
    const since = failingSince === null ? '' : ` since ${failingSince.toISOString()}`;
    return `${id} of ${accountName} (${URL.parse(url)?.host ?? url})${since}`;
  });
  return some.join(', ');
}

function fixOf([first]: readonly TroubledEndpoint[]): string {
  const id = first?.id ?? '<id>';
  const look = `See what it answers with \`postrider webhooks deliveries ${id} --status failed\``;
  if (first?.disabledReason == null) return `${look}, and mend it or change its URL; after five days it is disabled.`;
  return `${look}; once it works, \`postrider webhooks update ${id} --status enabled\` and \`postrider webhooks replay ${id} --since <time> --status failed\`.`;
}

function counted(count: number): string {
  return count === 1 ? '1 webhook endpoint is' : `${count} webhook endpoints are`;
}
