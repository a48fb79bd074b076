import { LIMITS } from '@postrider/core';
import { createProgram } from '../../harness/oauth-program.ts';
import { addPasskey } from '../../harness/passkeys.ts';
import { signInAs } from '../../harness/session.ts';
import type { AccountWorld } from './account-world.ts';

export const send = {
  from: 'Ada <ada@sandbox.test>',
  to: 'delivered@sandbox.test',
  subject: 'Hello',
  text: 'Hi there',
};
export const scheduled = async (world: AccountWorld) => {
  const at = new Date(world.server.clock.now().getTime() + 86_400_000).toISOString();
  return { id: (await world.make('POST', '/emails', { ...send, scheduled_at: at })).id as string };
};
const sent = async (world: AccountWorld) => ({ id: (await world.make('POST', '/emails', send)).id as string });
export const key = async (world: AccountWorld) => {
  const made = await world.make('POST', '/keys', { name: world.fresh('Key '), scopes: ['emails:read'] });
  return { id: made.id as string };
};
export const template = async (world: AccountWorld) => {
  const name = world.fresh('letter-');
  const made = await world.make('POST', '/templates', { name, slug: name, subject: 'Hi', text: 'Hi {{ name }}' });
  return { id: made.id as string };
};
/** What a held key writes to a template waits for a user. */
export const draft = async (world: AccountWorld) => {
  const { id } = await template(world);
  const { headers } = world.credential('a held key');
  await world.server.call('PATCH', `/templates/${id}`, { key: null, headers, body: { subject: 'Changed' } });
  return { id };
};
const domain = async (world: AccountWorld) => ({
  id: (await world.make('POST', '/domains', { name: `${world.fresh('d')}.example.com` })).id as string,
});
/** A domain is removed before it is restored, and makes room for the next: an account has only so many. */
export const removedDomain = async (world: AccountWorld) => {
  const { id } = await domain(world);
  await world.make('DELETE', `/domains/${id}`);
  return { id };
};
export const spareDomain = async (world: AccountWorld) => {
  const { domains } = await world.make('GET', '/domains');
  for (const { id } of domains) await world.make('DELETE', `/domains/${id}`);
  return await domain(world);
};
export const webhook = async (world: AccountWorld) => {
  const { webhooks } = await world.make('GET', '/webhooks');
  for (const { id } of webhooks) await world.make('DELETE', `/webhooks/${id}`);
  return { id: (await world.make('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook' })).id as string };
};
const suppression = async (world: AccountWorld) => {
  const email = `${world.fresh('gone')}@example.com`;
  await world.make('POST', '/suppressions', { email });
  return { id: email };
};
export const ticket = async (world: AccountWorld) => ({
  id: (await world.make('POST', '/support/tickets', { subject: 'Help', body: 'It is broken.' })).id as string,
});
/** An account has only so many seats, so those of former requests are given back. */
export const seat = async (world: AccountWorld) => {
  const { members } = await world.make('GET', '/team');
  for (const { id, email } of members) if (email.startsWith('member')) await world.make('DELETE', `/team/${id}`);
};
export const member = async (world: AccountWorld) => {
  await seat(world);
  const email = `${world.fresh('member')}@sandbox.test`;
  return { id: (await world.make('POST', '/team/invitations', { email, role: 'viewer' })).id as string };
};
export const hold = async (world: AccountWorld) => {
  const { headers } = world.credential('a held key');
  const response = await world.server.call('POST', '/emails', { key: null, headers, body: send });
  return { id: response.body.approvalId as string };
};
/** A user may try only so many codes in the time that a code is valid for. */
export const device = async ({ server }: AccountWorld) => {
  server.clock.advance(LIMITS.deviceCodeMinutes * 60_000);
  const { body } = await server.call('POST', '/auth/device', { key: null });
  return body;
};

/** A user has only so many passkeys, so those of former requests are removed. */
export const passkey = async ({ server, owner }: AccountWorld) => {
  const { passkeys } = (await owner.call('GET', '/passkeys')).body;
  for (const { id } of passkeys) await owner.call('DELETE', `/passkeys/${id}`);
  // The first passkey needs a new session, and the clock of the test has moved on.
  const session = await signInAs(server, owner.user.email);
  return { id: (await addPasskey(server, session)).body.id as string };
};

export const program = async ({ server, owner }: AccountWorld) => {
  const { signIn } = await createProgram(server);
  await signIn(owner);
  return { id: (await owner.call('GET', '/programs')).body.programs[0].id as string };
};

/** What a path's `:id` is the id of, by the preceding part. */
export const THINGS: Readonly<Record<string, (world: AccountWorld) => Promise<{ readonly id: string }>>> = {
  '/emails': sent,
  '/keys': key,
  '/keys/approvals': hold,
  '/suppressions': suppression,
  '/support/tickets': ticket,
  '/passkeys': passkey,
  '/programs': program,
  '/team': member,
  '/templates': template,
  '/domains': spareDomain,
  '/webhooks': webhook,
};
