import { type SubmissionApp, sendBySmtp } from '../harness/submission-client.ts';
import { connectTo } from '../mcp/connect.ts';

export interface PathOutcome {
  readonly code: string | null;
  readonly id: string | null;
}

export interface PathSend {
  readonly to?: string;
  readonly agentName?: string;
  readonly source?: string;
}

/** Every way in which a send can come to the server, and what came of one: its id, or the code it was refused with. */
export const SEND_PATHS: Readonly<
  Record<string, (server: SubmissionApp, key: string, send: PathSend) => Promise<PathOutcome>>
> = {
  'POST /emails': async (server, key, send) => restOutcome(await server.send(bodyOf(send), { key })),
  'POST /emails, scheduled': async (server, key, send) =>
    restOutcome(await server.send({ ...bodyOf(send), scheduled_at: 'PT1H' }, { key })),
  'POST /emails, provenance in headers': async (server, key, { to, agentName, source }) =>
    restOutcome(
      await server.send(to === undefined ? {} : { to }, {
        key,
        headers: {
          ...(agentName === undefined ? {} : { 'x-service-agent': agentName }),
          ...(source === undefined ? {} : { 'x-service-source': source }),
        },
      }),
    ),
  'POST /emails/batch': async (server, key, send) => {
    const emails = [
      { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hi', text: 'Hi', ...bodyOf(send) },
    ];
    const { status, body } = await server.call('POST', '/emails/batch', { key, body: { emails } });
    if (status !== 207) return restOutcome({ status, body });
    const [item] = body.results;
    return { id: item.id ?? null, code: item.error?.code ?? null };
  },
  'POST /mcp': async (server, key, { to, agentName, source }) => {
    const client = await connectTo(server, '', key);
    const { record, isError } = await client.call('send_email', {
      ...{ from: 'ada@sandbox.test', to: [to ?? 'delivered@sandbox.test'], subject: 'Hi', text: `Hi ${Math.random()}` },
      ...(agentName === undefined ? {} : { agent_name: agentName }),
      ...(source === undefined ? {} : { source }),
    });
    await client.close();
    return { id: isError ? null : record.id, code: isError ? record.error.code : null };
  },
  SMTP: async (server, key, { to, agentName, source }) => {
    const { id, reply, refused } = await sendBySmtp(
      server,
      { key },
      {
        ...{ from: 'ada@sandbox.test', to: to ?? 'delivered@sandbox.test', subject: 'Hi', text: 'Hi' },
        headers: {
          ...(agentName === undefined ? {} : { 'X-Service-Agent': agentName }),
          ...(source === undefined ? {} : { 'X-Service-Source': source }),
        },
      },
    );
    return { id, code: id === null ? (/ ([a-z_]+): /.exec(refused[0] ?? reply)?.[1] ?? reply) : null };
  },
};

function bodyOf({ to, agentName, source }: PathSend): Readonly<Record<string, unknown>> {
  return {
    ...(to === undefined ? {} : { to }),
    ...(agentName === undefined ? {} : { agent_name: agentName }),
    ...(source === undefined ? {} : { source }),
  };
}

function restOutcome({
  status,
  body,
}: {
  readonly status: number;
  readonly body: { id?: string; code?: string };
}): PathOutcome {
  return status === 202 ? { id: body.id ?? null, code: null } : { id: null, code: body.code ?? String(status) };
}
