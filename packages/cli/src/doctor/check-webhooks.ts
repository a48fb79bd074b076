import type { Webhook } from '@postrider/sdk';
import { connect } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { CliFailure } from '../failure.ts';
import type { GlobalOptions } from '../global-options.ts';
import { recordsOf, type Shown, textOf } from '../output/json-value.ts';
import { formatTime } from '../output/time.ts';
import { singleLine } from '../output/untrusted-text.ts';
import { type Finding, pass, skip, warn } from './doctor-check.ts';

/** More endpoints than an account can have. */
const PAGE_ROWS = 100;

type Endpoint = Shown<Webhook>;

/** Checks that the account's webhook endpoints accept their events. */
export async function checkWebhooks(options: GlobalOptions, io: CliIo): Promise<Finding> {
  try {
    const connection = await connect(options, io, true);
    const { record } = await connection.call('webhooks.list', { query: { limit: PAGE_ROWS } }, 0);
    return judge(recordsOf<Webhook>(record.webhooks));
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    if (error.problem.code === 'missing_scope') return skip('webhooks', 'The key may not read webhook endpoints.');
    return skip('webhooks', 'The webhook endpoints could not be read.');
  }
}

function judge(endpoints: readonly Endpoint[]): Finding {
  const text = (endpoint: Endpoint, name: keyof Endpoint) => singleLine(textOf(endpoint[name]));
  const label = (endpoint: Endpoint) => `${text(endpoint, 'id')} (${text(endpoint, 'url')})`;
  const isDown = (endpoint: Endpoint) => ['gone', 'failing'].includes(text(endpoint, 'disabledReason'));
  const down = endpoints.filter(isDown);
  const failing = endpoints.filter(
    (endpoint) => text(endpoint, 'status') === 'enabled' && text(endpoint, 'failingSince') !== '',
  );
  const [first] = down.length > 0 ? down : failing;
  if (first === undefined) {
    const count = endpoints.length;
    return pass(
      'webhooks',
      count === 0 ? 'There are no webhook endpoints.' : `Webhook endpoints: ${count}, none failing.`,
    );
  }
  const id = text(first, 'id');
  const inspect = `See the failures with \`postrider webhooks deliveries ${id} --status failed\``;
  if (down.length > 0) {
    const restore = `\`postrider webhooks update ${id} --status enabled\` and \`postrider webhooks replay ${id} --since <time> --status failed\``;
    const message = `Disabled because they failed for days or returned 410: ${down.map(label).join(', ')}.`;
    return warn('webhooks', message, `${inspect}. When the endpoint works again, run ${restore}.`);
  }
  const since = failing.map((endpoint) => `${label(endpoint)} since ${formatTime(text(endpoint, 'failingSince'))}`);
  return warn('webhooks', `Failing: ${since.join(', ')}.`, `${inspect}, then fix the endpoint or change its URL.`);
}
