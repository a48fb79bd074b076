import type { Role } from '@postrider/core';

const WRITES = [
  'Send email, and read all messages with their content',
  'Change templates, domains, webhooks and suppressions',
  'Create and change API keys',
];

const ADMINISTERS = ['Invite, change and remove team members', 'Change, pause and resume the account'];

/** What a session of this role may do, as shown on a page. Deciding held sends is listed separately. */
export const ROLE_WORDS: Readonly<Record<Role, readonly string[]>> = {
  owner: [...WRITES, ...ADMINISTERS, 'Delete the account'],
  admin: [...WRITES, ...ADMINISTERS],
  developer: [...WRITES, 'Read held sends and the request log'],
  approver: ['Read all messages with their content', 'Read held sends, templates, domains and statistics'],
  viewer: ['Read messages without their content', 'Read templates, domains, webhooks and statistics'],
};
