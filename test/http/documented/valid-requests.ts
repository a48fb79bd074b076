import { findOperation, type OperationId } from '@postrider/core';
import { signInAs } from '../../harness/session.ts';
import type { AccountWorld } from './account-world.ts';
import { deriveRequest } from './derive-request.ts';
import {
  device,
  draft,
  hold,
  key,
  member,
  passkey,
  program,
  removedDomain,
  scheduled,
  seat,
  send,
  spareDomain,
  template,
  ticket,
  webhook,
} from './things.ts';
import type { ValidRequest } from './valid-request.ts';

type Make = (world: AccountWorld) => ValidRequest | Promise<ValidRequest>;

/**
 * A request of an operation that succeeds for an owner and for a key with every scope.
 * @throws Error where none follows from the declaration, and none is written below
 */
export async function validRequest(id: OperationId, world: AccountWorld): Promise<ValidRequest> {
  const make = OWN_REQUESTS[id];
  return make === undefined ? await deriveRequest(findOperation(id), world) : await make(world);
}

const withBody =
  (body: unknown): Make =>
  () => ({ body });
const approved = { decision: 'approve' } as const;

/** Where what follows from the declaration would not succeed, or says too little. */
const OWN_REQUESTS: Readonly<Partial<Record<OperationId, Make>>> = {
  'emails.send': withBody(send),
  'emails.send-batch': withBody({ emails: [send] }),
  'emails.export': () => ({ query: { format: 'csv' } }),
  'emails.cancel': async (world) => ({ params: await scheduled(world) }),
  'emails.delete': async (world) => ({ params: await scheduled(world) }),
  'emails.reschedule': async (world) => ({
    params: await scheduled(world),
    body: { scheduled_at: new Date(world.server.clock.now().getTime() + 3_600_000).toISOString() },
  }),
  'keys.create': (world) => ({ body: { name: world.fresh('Key '), scopes: ['emails:read'] } }),
  'keys.update': async (world) => ({ params: await key(world), body: { name: world.fresh('Key ') } }),
  'keys.rotate': async (world) => ({ params: await key(world), body: { graceSeconds: 60 } }),
  'approvals.decide-many': async (world) => ({ body: { ids: [(await hold(world)).id], ...approved } }),
  'approvals.decide': async (world) => ({ params: await hold(world), body: approved }),
  'requests.get': async (world) => {
    const requestId = world.fresh('request-');
    await world.server.call('GET', '/account', {
      key: null,
      headers: { ...world.credential('a key with every scope').headers, 'x-request-id': requestId },
    });
    await world.server.app.services.requests.settle();
    return { params: { id: requestId } };
  },
  'suppressions.create': (world) => ({ body: { email: `${world.fresh('gone')}@example.com` } }),
  'account.update': withBody({ name: 'Renamed' }),
  'account.resume': async (world) => {
    // A key resumes only what no user has paused.
    await world.owner.call('POST', '/account/resume');
    return {};
  },
  'account.stats': () => ({ query: { window: '7d', by_tag: 'true' } }),
  'account.volume': () => ({ query: { window: '7d' } }),
  'templates.create': (world) => ({ body: { name: world.fresh('letter-'), subject: 'Hi', text: 'Hi' } }),
  'templates.update': async (world) => ({ params: await template(world), body: { subject: 'Hello' } }),
  'templates.render': async (world) => ({ params: await template(world), body: { variables: { name: 'Ada' } } }),
  'templates.preview': withBody({ html: '<p>{{ name }}</p>', variables: { name: 'Ada' } }),
  'templates.test': async (world) => ({ params: await template(world), body: { variables: { name: 'Ada' } } }),
  'templates.publish': async (world) => ({ params: await draft(world), body: {} }),
  'templates.discard': async (world) => ({ params: await draft(world), body: {} }),
  'domains.create': async (world) => {
    await spareDomain(world);
    return { body: { name: `${world.fresh('d')}.example.com` } };
  },
  'domains.rotate': async (world) => ({ params: await spareDomain(world), body: {} }),
  'domains.restore': async (world) => ({ params: await removedDomain(world) }),
  'tickets.create': withBody({ subject: 'Help', body: 'It is broken.' }),
  'tickets.reply': async (world) => ({ params: await ticket(world), body: { body: 'Still broken.' } }),
  'webhooks.create': async (world) => {
    await webhook(world);
    return { body: { url: 'http://127.0.0.1:9/hook' } };
  },
  'webhooks.simulate': withBody({ url: 'http://localhost:9/hook' }),
  'webhooks.update': async (world) => ({ params: await webhook(world), body: { description: 'Mine' } }),
  'webhooks.delivery': async (world) => ({ params: await delivery(world) }),
  'webhooks.retry': async (world) => ({ params: await delivery(world) }),
  'webhooks.replay': async (world) => ({ params: await webhook(world), body: { since: yesterday(world) } }),
  'team.invite': async (world) => {
    await seat(world);
    return { body: { email: `${world.fresh('member')}@sandbox.test`, role: 'viewer' } };
  },
  'team.update': async (world) => ({ params: await member(world), body: { role: 'developer' } }),
  'auth.switch': (world) => ({ body: { accountId: world.accountId } }),
  'sessions.end': async (world) => {
    const other = await signInAs(world.server, world.owner.user.email);
    const { sessions } = (await other.call('GET', '/auth/sessions')).body;
    return { params: { id: sessions.find(({ current }: { current: boolean }) => current).id } };
  },
  'passkeys.update': async (world) => ({ params: await passkey(world), body: { name: 'Work laptop' } }),
  'passkeys.delete': async (world) => ({ params: await passkey(world) }),
  'programs.revoke': async (world) => ({ params: await program(world) }),
  'programs.pause': async (world) => ({ params: await program(world) }),
  'programs.resume': async (world) => ({ params: await program(world) }),
  'auth.magic-link': (world) => ({ body: { email: `${world.fresh('someone')}@sandbox.test` } }),
  'auth.oauth': () => ({ params: { provider: 'oidc' }, query: { next: '/auth/device' } }),
  'auth.device-page': () => ({ query: { user_code: 'WDJB-MJHT' } }),
  'auth.device-confirm': async (world) => {
    const body = await device(world);
    return { body: { userCode: body.userCode } };
  },
  'auth.device-token': async (world) => {
    const body = await device(world);
    await world.owner.call('POST', '/auth/device/confirm', { body: { userCode: body.userCode } });
    return { body: { deviceCode: body.deviceCode } };
  },
  'tools.spf': withBody({ domain: 'example.com' }),
  'tools.dkim': withBody({ domain: 'example.com', selector: 'one' }),
  'tools.dmarc': withBody({ domain: 'example.com' }),
  'tools.mx': withBody({ domain: 'example.com' }),
  'tools.blocklist': withBody({ target: 'example.com' }),
  'tools.inbox-placement': withBody({ from: 'ada@example.com', subject: 'Hello', text: 'Hi' }),
  'tools.utm': withBody({ url: 'https://example.com/', source: 'news', medium: 'email', campaign: 'spring' }),
  'service.mcp': withBody({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  'service.mcp-stream': async (world) => ({ headers: { ...(await session(world)), accept: 'text/event-stream' } }),
  'service.mcp-end': async (world) => ({ headers: await session(world) }),
};

/** The header of a new MCP session of the key with every scope. */
async function session({ server, credential }: AccountWorld): Promise<Readonly<Record<string, string>>> {
  const clientInfo = { name: 'test', version: '0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const { headers } = await server.call('POST', '/mcp', {
    key: null,
    headers: { ...credential('a key with every scope').headers, accept: 'application/json' },
    body: { jsonrpc: '2.0', id: 1, method: 'initialize', params },
  });
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

async function delivery(world: AccountWorld) {
  const { id } = await webhook(world);
  await world.make('POST', `/webhooks/${id}/test`);
  return { id, deliveryId: await attempted(world, id) };
}

/** The delivery of an attempt that was made: one that waits gets another id when it is. Nothing listens where it goes, so it fails at once. */
async function attempted(world: AccountWorld, id: string): Promise<string> {
  for (;;) {
    const { deliveries } = await world.make('GET', `/webhooks/${id}/deliveries`);
    const made = deliveries.find(({ status }: { readonly status: string }) => status !== 'pending');
    if (made !== undefined) return made.id;
  }
}

function yesterday({ server }: AccountWorld): string {
  return new Date(server.clock.now().getTime() - 86_400_000).toISOString();
}
