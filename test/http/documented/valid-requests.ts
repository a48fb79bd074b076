import { LIMITS, type OperationId } from '@postrider/core';
import { signInAs } from '../../harness/session.ts';
import type { AccountWorld } from './account-world.ts';

export interface ValidRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Make = (world: AccountWorld) => ValidRequest | Promise<ValidRequest>;

const NOTHING: Make = () => ({});
const withBody =
  (body: unknown): Make =>
  () => ({ body });

const send = { from: 'Ada <ada@sandbox.test>', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi there' };
const scheduled = async (world: AccountWorld) => {
  const at = new Date(world.server.clock.now().getTime() + 86_400_000).toISOString();
  return { id: (await world.make('POST', '/emails', { ...send, scheduled_at: at })).id as string };
};
const sent = async (world: AccountWorld) => ({ id: (await world.make('POST', '/emails', send)).id as string });
const key = async (world: AccountWorld) => {
  const made = await world.make('POST', '/keys', { name: world.fresh('Key '), scopes: ['emails:read'] });
  return { id: made.id as string };
};
const template = async (world: AccountWorld) => {
  const name = world.fresh('letter-');
  const made = await world.make('POST', '/templates', { name, slug: name, subject: 'Hi', text: 'Hi {{ name }}' });
  return { id: made.id as string };
};
/** What a held key writes to a template waits for a user. */
const draft = async (world: AccountWorld) => {
  const { id } = await template(world);
  const { headers } = world.credential('a held key');
  await world.server.call('PATCH', `/templates/${id}`, { key: null, headers, body: { subject: 'Changed' } });
  return { id };
};
const domain = async (world: AccountWorld) => ({
  id: (await world.make('POST', '/domains', { name: `${world.fresh('d')}.example.com` })).id as string,
});
/** A domain is removed before it is restored, and makes room for the next: an account has only so many. */
const removedDomain = async (world: AccountWorld) => {
  const { id } = await domain(world);
  await world.make('DELETE', `/domains/${id}`);
  return { id };
};
const spareDomain = async (world: AccountWorld) => {
  const { domains } = await world.make('GET', '/domains');
  for (const { id } of domains) await world.make('DELETE', `/domains/${id}`);
  return await domain(world);
};
const webhook = async (world: AccountWorld) => {
  const { webhooks } = await world.make('GET', '/webhooks');
  for (const { id } of webhooks) await world.make('DELETE', `/webhooks/${id}`);
  return { id: (await world.make('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook' })).id as string };
};
const suppression = async (world: AccountWorld) => {
  const email = `${world.fresh('gone')}@example.com`;
  await world.make('POST', '/suppressions', { email });
  return { id: email };
};
const ticket = async (world: AccountWorld) => ({
  id: (await world.make('POST', '/support/tickets', { subject: 'Help', body: 'It is broken.' })).id as string,
});
/** An account has only so many seats, so those of former requests are given back. */
const seat = async (world: AccountWorld) => {
  const { members } = await world.make('GET', '/team');
  for (const { id, email } of members) if (email.startsWith('member')) await world.make('DELETE', `/team/${id}`);
};
const member = async (world: AccountWorld) => {
  await seat(world);
  const email = `${world.fresh('member')}@sandbox.test`;
  return { id: (await world.make('POST', '/team/invitations', { email, role: 'viewer' })).id as string };
};
const hold = async (world: AccountWorld) => {
  const { headers } = world.credential('a held key');
  const answer = await world.server.call('POST', '/emails', { key: null, headers, body: send });
  return { id: answer.body.approvalId as string };
};
/** A user may try only so many codes in the time that a code is valid for. */
const device = async ({ server }: AccountWorld) => {
  server.clock.advance(LIMITS.deviceCodeMinutes * 60_000);
  const { body } = await server.call('POST', '/auth/device', { key: null });
  return body;
};
const approved = { decision: 'approve' } as const;

/** A request of every operation that succeeds for an owner and for a key with every scope. A new operation without one does not compile. */
export const VALID_REQUESTS: Readonly<Record<OperationId, Make>> = {
  'emails.send': withBody(send),
  'emails.send-batch': withBody({ emails: [send] }),
  'emails.list': NOTHING,
  'emails.export': () => ({ query: { format: 'csv' } }),
  'emails.get': async (world) => ({ params: await sent(world) }),
  'emails.cancel': async (world) => ({ params: await scheduled(world) }),
  'emails.delete': async (world) => ({ params: await scheduled(world) }),
  'emails.reschedule': async (world) => ({
    params: await scheduled(world),
    body: { scheduled_at: new Date(world.server.clock.now().getTime() + 3_600_000).toISOString() },
  }),
  'emails.resend': async (world) => ({ params: await sent(world) }),
  'keys.self': NOTHING,
  'keys.create': (world) => ({ body: { name: world.fresh('Key '), scopes: ['emails:read'] } }),
  'keys.list': NOTHING,
  'keys.get': async (world) => ({ params: await key(world) }),
  'keys.update': async (world) => ({ params: await key(world), body: { name: world.fresh('Key ') } }),
  'keys.revoke': async (world) => ({ params: await key(world) }),
  'keys.rotate': async (world) => ({ params: await key(world), body: { graceSeconds: 60 } }),
  'keys.pause': async (world) => ({ params: await key(world) }),
  'keys.resume': async (world) => ({ params: await key(world) }),
  'approvals.list': NOTHING,
  'approvals.decide-many': async (world) => ({ body: { ids: [(await hold(world)).id], ...approved } }),
  'approvals.get': async (world) => ({ params: await hold(world) }),
  'approvals.decide': async (world) => ({ params: await hold(world), body: approved }),
  'requests.list': NOTHING,
  'requests.get': async (world) => {
    const requestId = world.fresh('request-');
    await world.server.call('GET', '/account', {
      key: null,
      headers: { ...world.credential('a key with every scope').headers, 'x-request-id': requestId },
    });
    await world.server.app.services.settleRequestLog();
    return { params: { id: requestId } };
  },
  'suppressions.create': (world) => ({ body: { email: `${world.fresh('gone')}@example.com` } }),
  'suppressions.list': NOTHING,
  'suppressions.get': async (world) => ({ params: await suppression(world) }),
  'suppressions.delete': async (world) => ({ params: await suppression(world) }),
  'account.get': NOTHING,
  'account.update': withBody({ name: 'Renamed' }),
  'account.pause': NOTHING,
  'account.resume': async (world) => {
    // A key resumes only what no user has paused.
    await world.owner.call('POST', '/account/resume');
    return {};
  },
  'account.delete': NOTHING,
  'account.stats': () => ({ query: { window: '7d', by_tag: 'true' } }),
  'account.volume': () => ({ query: { window: '7d' } }),
  'account.checklist': NOTHING,
  'templates.create': (world) => ({ body: { name: world.fresh('letter-'), subject: 'Hi', text: 'Hi' } }),
  'templates.list': NOTHING,
  'templates.get': async (world) => ({ params: await template(world) }),
  'templates.update': async (world) => ({ params: await template(world), body: { subject: 'Hello' } }),
  'templates.delete': async (world) => ({ params: await template(world) }),
  'templates.render': async (world) => ({ params: await template(world), body: { variables: { name: 'Ada' } } }),
  'templates.test': async (world) => ({ params: await template(world), body: { variables: { name: 'Ada' } } }),
  'templates.drafts': NOTHING,
  'templates.publish': async (world) => ({ params: await draft(world), body: {} }),
  'templates.discard': async (world) => ({ params: await draft(world), body: {} }),
  'domains.create': async (world) => {
    await spareDomain(world);
    return { body: { name: `${world.fresh('d')}.example.com` } };
  },
  'domains.list': NOTHING,
  'domains.history': NOTHING,
  'domains.get': async (world) => ({ params: await spareDomain(world) }),
  'domains.records': async (world) => ({ params: await spareDomain(world) }),
  'domains.verify': async (world) => ({ params: await spareDomain(world) }),
  'domains.rotate': async (world) => ({ params: await spareDomain(world), body: {} }),
  'domains.delete': async (world) => ({ params: await spareDomain(world) }),
  'domains.restore': async (world) => ({ params: await removedDomain(world) }),
  'tickets.create': withBody({ subject: 'Help', body: 'It is broken.' }),
  'tickets.list': NOTHING,
  'tickets.get': async (world) => ({ params: await ticket(world) }),
  'tickets.reply': async (world) => ({ params: await ticket(world), body: { body: 'Still broken.' } }),
  'webhooks.create': async (world) => {
    await webhook(world);
    return { body: { url: 'http://127.0.0.1:9/hook' } };
  },
  'webhooks.list': NOTHING,
  'webhooks.simulate': withBody({ url: 'http://localhost:9/hook' }),
  'webhooks.stream': NOTHING,
  'webhooks.get': async (world) => ({ params: await webhook(world) }),
  'webhooks.update': async (world) => ({ params: await webhook(world), body: { description: 'Mine' } }),
  'webhooks.delete': async (world) => ({ params: await webhook(world) }),
  'webhooks.rotate': async (world) => ({ params: await webhook(world) }),
  'webhooks.test': async (world) => ({ params: await webhook(world) }),
  'webhooks.deliveries': async (world) => ({ params: await webhook(world) }),
  'webhooks.retry': async (world) => {
    const { id } = await webhook(world);
    await world.make('POST', `/webhooks/${id}/test`);
    return { params: { id, deliveryId: await attempted(world, id) } };
  },
  'webhooks.replay': async (world) => ({ params: await webhook(world), body: { since: yesterday(world) } }),
  'audit.list': NOTHING,
  'team.list': NOTHING,
  'team.invite': async (world) => {
    await seat(world);
    return { body: { email: `${world.fresh('member')}@sandbox.test`, role: 'viewer' } };
  },
  'team.update': async (world) => ({ params: await member(world), body: { role: 'developer' } }),
  'team.remove': async (world) => ({ params: await member(world) }),
  'auth.session': NOTHING,
  'auth.switch': (world) => ({ body: { accountId: world.accountId } }),
  'auth.accounts': NOTHING,
  'sessions.list': NOTHING,
  'sessions.end': async (world) => {
    const other = await signInAs(world.server, world.owner.user.email);
    const { sessions } = (await other.call('GET', '/auth/sessions')).body;
    return { params: { id: sessions.find(({ current }: { current: boolean }) => current).id } };
  },
  'sessions.end-others': NOTHING,
  'auth.magic-link': (world) => ({ body: { email: `${world.fresh('someone')}@sandbox.test` } }),
  'auth.logout': NOTHING,
  'auth.oauth': () => ({ params: { provider: 'oidc' }, query: { next: '/auth/device' } }),
  'auth.device': NOTHING,
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
  'tools.list': NOTHING,
  'tools.spf': withBody({ domain: 'example.com' }),
  'tools.dkim': withBody({ domain: 'example.com', selector: 'one' }),
  'tools.dmarc': withBody({ domain: 'example.com' }),
  'tools.mx': withBody({ domain: 'example.com' }),
  'tools.blocklist': withBody({ target: 'example.com' }),
  'tools.inbox-placement': withBody({ from: 'ada@example.com', subject: 'Hello', text: 'Hi' }),
  'tools.utm': withBody({ url: 'https://example.com/', source: 'news', medium: 'email', campaign: 'spring' }),
  'service.information': NOTHING,
  'service.health': NOTHING,
  'service.readiness': NOTHING,
  'service.openapi-json': NOTHING,
  'service.openapi-yaml': NOTHING,
  'service.mcp': withBody({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
};

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
