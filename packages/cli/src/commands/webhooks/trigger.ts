import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import { CliFailure, ownFailure, usageFailure } from '../../failure.ts';
import { isRecord, textOf } from '../../output/json-value.ts';
import type { Output } from '../../output/output.ts';
import { singleLine } from '../../output/untrusted-text.ts';
import { urlFlag } from '../../own-flag.ts';
import { EVENT_TYPES } from '../../webhooks/event-flags.ts';
import { type PostOutcome, postSigned } from '../../webhooks/post-signed.ts';

/** The test address that causes each event, among others. */
const TEST_ADDRESSES: Readonly<Record<string, string>> = {
  'email.queued': 'delivered',
  'email.sent': 'delivered',
  'email.delivered': 'delivered',
  'email.deferred': 'deferred',
  'email.bounced': 'bounced',
  'email.complained': 'complained',
  'email.scheduled': 'delivered',
  'email.canceled': 'delivered',
};
/** Late enough to cancel the message before it is sent. */
const SCHEDULED_IN = 'PT1H';

/** Triggers an event: a real one, or with `--forward-to` a sample that is posted only to that URL. */
export const definition = defineCommand({
  id: 'webhooks trigger',
  about: {
    summary: 'Trigger an event',
    description:
      'Triggers a real event by sending to a test address, which does not count toward the quota. The event reaches the endpoints of the account and every listener. With `--forward-to`, a sample event of any type is signed and posted only to that URL on this machine, and its secret is shown.',
    needsKey: true,
    scope: null,
    examples: [
      'postrider webhooks trigger email.bounced',
      'postrider webhooks trigger approval.requested --forward-to http://localhost:3000/webhooks/postrider',
    ],
    inputs: [
      {
        name: 'type',
        place: 'body',
        key: 'event',
        required: true,
        positional: true,
        flags: [],
        valueName: 'type',
        description: 'Event type, for example email.bounced.',
        value: { kind: 'text' },
        suggestions: EVENT_TYPES,
      },
    ],
  },
  flags: { forwardTo: urlFlag('--forward-to <url>', 'Post a sample event to this URL on this machine.') },
  async run({ values, own: { forwardTo } }, connection, output, io) {
    const type = textOf(values['type']);
    if (forwardTo !== undefined) return await simulate(type, forwardTo, connection, output, io);
    const mailbox = TEST_ADDRESSES[type];
    if (mailbox === undefined) {
      const known = Object.keys(TEST_ADDRESSES).join(', ');
      throw usageFailure(
        `sending cannot trigger ${type}; it can trigger: ${known}`,
        'Add --forward-to http://localhost:<port> to post a sample event of any type.',
      );
    }
    return await send(type, mailbox, connection, output);
  },
});

async function send(type: string, mailbox: string, connection: ApiConnection, output: Output): Promise<ExitCode> {
  const domain = await findSandboxDomain(connection);
  const isScheduled = type === 'email.scheduled' || type === 'email.canceled';
  const body = {
    from: `Trigger <trigger@${domain}>`,
    to: `${mailbox}+trigger@${domain}`,
    subject: `To trigger ${type}`,
    text: 'Sent by `postrider webhooks trigger` to a test address. It is not delivered.',
    ...(isScheduled ? { scheduled_at: SCHEDULED_IN } : {}),
  };
  const { record } = await connection.call('emails.send', { body });
  const id = textOf(record.id);
  // Otherwise the message would be sent in an hour.
  if (isScheduled) await connection.call('emails.cancel', { params: { id } });
  if (output.isJson) output.writeJson({ type, emailId: id });
  else output.writeText(`Sent ${id} to trigger ${singleLine(type)}.\n`);
  return EXIT_CODES.done;
}

/** Any key can read itself and lists the sandbox domain last. A signed-in user has no key, but can read the account. */
async function findSandboxDomain(connection: ApiConnection): Promise<string> {
  try {
    const { record } = await connection.call('keys.self', {});
    const domains = Array.isArray(record.sendingDomains) ? record.sendingDomains : [];
    return textOf(domains.at(-1));
  } catch (error) {
    if (!(error instanceof CliFailure) || error.problem.code !== 'missing_key') throw error;
    const { record } = await connection.call('account.get', {});
    return textOf(record.sandboxDomain);
  }
}

async function simulate(
  type: string,
  url: string,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const input = { ...{ params: {}, query: {}, headers: {} }, body: { url, event: type } };
  const { data } = await connection.callCommand('webhooks.simulate', input);
  const simulation = isRecord(data) ? data : {};
  const outcome = await postLocally(url, simulation, io);
  const isAccepted = outcome.statusCode !== null && outcome.statusCode >= 200 && outcome.statusCode < 300;
  if (output.isJson)
    output.writeJson({ ...simulation, ...outcome, ok: isAccepted, delivered: outcome.statusCode !== null });
  if (!isAccepted) throw notAccepted(url, outcome);
  if (!output.isJson) {
    output.writeText(`${url} accepted ${singleLine(type)}: ${outcome.statusCode} in ${outcome.durationMs} ms.\n`);
    output.remark(`Signing secret: ${textOf(simulation['secret'])}`);
  }
  return EXIT_CODES.done;
}

/** A server on this machine has posted the event already; for any other server, the CLI posts it. */
async function postLocally(
  url: string,
  simulation: Readonly<Record<string, unknown>>,
  io: CliIo,
): Promise<PostOutcome> {
  const { delivered, statusCode, durationMs, headers, payload, ok } = simulation;
  if (delivered === true && typeof statusCode === 'number') {
    return { statusCode, durationMs: Number(durationMs), error: null };
  }
  if (ok === false) return { statusCode: null, durationMs: Number(durationMs), error: 'nothing listens there' };
  const signed = Object.entries(isRecord(headers) ? headers : {}).map(([name, value]) => [name, textOf(value)]);
  return await postSigned(url, { headers: Object.fromEntries(signed), payload: textOf(payload) }, io.signal);
}

function notAccepted(url: string, { statusCode, error }: PostOutcome): Error {
  const reason = statusCode === null ? (error ?? '') : `it returned ${statusCode}`;
  return ownFailure(
    EXIT_CODES.deliveryFailed,
    'not_taken',
    'The program did not accept the event',
    `${url}: ${reason}.`,
    'Start the program, make it return 2xx, and trigger the event again.',
    true,
  );
}
