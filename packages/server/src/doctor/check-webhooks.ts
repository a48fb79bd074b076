import type { FailingEndpointRow, WebhookQueue } from '../db/queries/webhook-queue.ts';
import { type DoctorCheck, fail, pass, warn } from './doctor-check.ts';

/** Workers check four times a second, so events that have been due for minutes are stuck. */
const LATE_MS = 300_000;
/** Only a few are named; the account's own list has the rest. */
const NAMED = 3;

const WORK =
  'Start a server with the worker role (`postrider-server start`), or add workers if they cannot keep up. Read their log.';

/** Whether events reach endpoints, and which endpoints do not accept any. */
export function judgeWebhooks(queue: WebhookQueue, endpoints: readonly FailingEndpointRow[], now: Date): DoctorCheck {
  const late = describeLate(queue, now);
  if (late !== null) return fail('webhooks', late, WORK);
  const { working, failing, manual, gone, failed } = queue.endpoints;
  const all = working + failing + manual + gone + failed;
  if (gone + failed > 0) {
    const message = `${counted(gone + failed)} disabled because they failed for days or responded with 410: ${named(endpoints)}.`;
    return warn('webhooks', message, fixOf(endpoints));
  }
  if (failing > 0) return warn('webhooks', `${counted(failing)} failing: ${named(endpoints)}.`, fixOf(endpoints));
  if (all === 0) return pass('webhooks', 'There are no webhook endpoints.');
  return pass('webhooks', `${counted(working)} receiving events, ${queue.waiting} deliveries are waiting.`);
}

function describeLate({ oldestDueAt, oldestBacklogAt, due, backlog }: WebhookQueue, now: Date): string | null {
  const minutesOf = (at: Date | null) => (at === null ? 0 : now.getTime() - at.getTime()) / 60_000;
  const [stored, delivered] = [minutesOf(oldestBacklogAt), minutesOf(oldestDueAt)];
  const parts = [
    stored * 60_000 >= LATE_MS
      ? `${backlog} events are waiting to be stored, the oldest for ${Math.floor(stored)} minutes.`
      : '',
    delivered * 60_000 >= LATE_MS ? `${due} deliveries are due, the oldest for ${Math.floor(delivered)} minutes.` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(' ');
}

function named(endpoints: readonly FailingEndpointRow[]): string {
  const some = endpoints.slice(0, NAMED).map(({ accountName, id, url, failingSince }) => {
    const since = failingSince === null ? '' : ` since ${failingSince.toISOString()}`;
    return `${id} of ${accountName} (${URL.parse(url)?.host ?? url})${since}`;
  });
  return some.join(', ');
}

function fixOf([first]: readonly FailingEndpointRow[]): string {
  const id = first?.id ?? '<id>';
  const look = `To see its responses, run \`postrider webhooks deliveries ${id} --status failed\``;
  if (first?.disabledReason == null) return `${look}. Then fix it or change its URL. After five days it is disabled.`;
  return `${look}. When it works, run \`postrider webhooks update ${id} --status enabled\` and \`postrider webhooks replay ${id} --since <time> --status failed\`.`;
}

function counted(count: number): string {
  return count === 1 ? '1 webhook endpoint is' : `${count} webhook endpoints are`;
}
