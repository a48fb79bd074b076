import type { JsonSchema } from './json-schema.ts';
import type { AnyOperation } from './operations/index.ts';

/** The first part of every operation’s id. */
export type Resource = AnyOperation['id'] extends infer Id
  ? Id extends `${infer Name}.${string}`
    ? Name
    : never
  : never;

/** What each group of operations is for. A new resource without a line here does not compile. */
const RESOURCES: Readonly<Record<Resource, string>> = {
  emails: 'Send messages, follow their status, and cancel, reschedule or resend them.',
  keys: 'API keys: create, restrict, pause, rotate and revoke them.',
  approvals: 'Sends that wait for an approver: list, read and decide them.',
  requests: 'The log of API requests, by request id.',
  suppressions: 'Addresses that the account does not send to.',
  account: 'The account itself: settings, quota, statistics, pausing and deletion.',
  templates: 'Versioned templates for messages: write, render and test them.',
  domains: 'Sending domains: the DNS records to publish, verification and DKIM keys.',
  tickets: 'Support requests to the operator of this server.',
  webhooks: 'Endpoints that receive events, their deliveries, and an event stream.',
  audit: 'The log of changes to the account and of who made them.',
  team: 'The members of the account and their roles.',
  auth: 'Sign users in and out, in a browser or on a device.',
  sessions: 'The sessions of the signed-in user: browsers and devices.',
  passkeys: 'The passkeys of the signed-in user, which sign them in without mail.',
  programs: 'The programs that the signed-in user allowed to use the account for them.',
  tools: 'Free checks of the DNS records of any domain, without a key.',
  service: 'The server itself: health, this document and the MCP endpoint.',
};

/** The description of a resource in the document’s `tags`. */
export function describeResource(name: string): JsonSchema {
  return Object.hasOwn(RESOURCES, name) ? { description: RESOURCES[name as Resource] } : {};
}
