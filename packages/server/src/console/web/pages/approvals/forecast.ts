import type { Forecast } from '../../../../approvals/web/view/acceptance-forecast.ts';
import type { PageRequest } from '../../page-request.ts';

/**
 * What would keep an approved message from being sent, by the check that the approval runs again.
 * @param recipients the addresses after an edit; by default those of the message
 */
export async function readForecast(
  request: PageRequest,
  id: string,
  recipients?: readonly string[],
): Promise<Forecast> {
  const query = recipients === undefined ? {} : { recipients: recipients.join(',') };
  const checked = await request.attempt('approvals.check', { params: { id }, query });
  if (!checked.ok) return [];
  const failed = checked.body.checks.filter(({ ok }) => !ok);
  return failed.map(({ message = '', fix = '' }) => ({ message, fix: request.inWords(fix) }));
}
