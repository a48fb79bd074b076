import { approvalPages } from './console-approvals.ts';
import { templatePages } from './console-templates.ts';
import { webhookPages } from './console-webhooks.ts';
import { requirement, section } from './requirement.ts';

export const consolePages = section('The console', [
  ...approvalPages,
  requirement('console.messages.filters', 'The log has every filter of `GET /emails`, and its address has the state.'),
  requirement('console.messages.explained', 'A message’s page says in words why it was not delivered and what to do.'),
  requirement('console.messages.attempts', 'Every delivery attempt is shown with its SMTP conversation.'),
  requirement('console.messages.changes', 'Messages can be resent, canceled and rescheduled, as the role allows.'),
  requirement(
    'console.messages.body',
    'The body is displayed in a frame that runs and loads nothing, and pages stay small.',
  ),
  requirement(
    'console.messages.files',
    'Files are shown in the page if they can run nothing, and only to roles that may read the content.',
  ),
  requirement('console.messages.key', 'A message leads to the key that sent it, and a key to its messages.'),
  requirement('console.messages.problems', 'One view shows every message that needs attention.'),
  requirement('console.messages.roles', 'Pages show exactly what the user’s role may see.'),
  requirement('console.messages.hostile', 'Hostile texts neither run nor make a page wider than a phone.'),
  requirement('console.messages.live', 'New messages and events appear without reloading.'),
  requirement(
    'console.mailbox.shows',
    'Captured mail is shown as displayed, as text, raw, with headers and files, and with its message.',
  ),
  requirement('console.mailbox.search', 'Captured mail is searched by subject, sender and recipient.'),
  requirement('console.mailbox.signed-out', 'The mailbox can be read before the sign-in, in development only.'),
  requirement(
    'console.error-pages',
    'Errors under `/console`, `/auth` and `/approvals` are pages with the request id for clients that prefer HTML, and problem JSON for all others.',
  ),
  requirement(
    'console.configure.suppressions',
    'Suppressed addresses are added and removed, and the next page says once what was done.',
  ),
  requirement(
    'console.configure.keys',
    'A key is created with a policy in words and a preview of what an agent with it could do; its secret is shown once.',
  ),
  requirement('console.configure.team', 'Members are invited, get other roles and are removed.'),
  requirement(
    'console.configure.settings',
    'The account is renamed, paused, resumed and deleted, and the user’s sessions are ended.',
  ),
  requirement('console.configure.tickets', 'A ticket is raised about a request or message, and replied to.'),
  requirement(
    'console.configure.audit',
    'The audit log names who did what, and is filtered by action, actor, object and day.',
  ),
  requirement('console.configure.requests', 'A request is found by its id, with its message.'),
  requirement('console.configure.send', 'A form for a test message sends one message, however often it is sent.'),
  requirement(
    'console.configure.domains',
    'A domain is added, its records are copied and verified, and the page shows each verdict.',
  ),
  requirement('console.configure.roles', 'Users see only what their role allows, and forms above it are refused.'),
  requirement(
    'console.configure.refused',
    'A refused form, or one of an ended session, keeps everything that was typed.',
  ),
  ...templatePages,
  ...webhookPages,
  requirement('console.pages.compressed', 'Pages are compressed, except where their size could reveal a text.'),
  requirement('console.pages.small', 'A first visit transfers at most 100 KB of document, styles and scripts.'),
  requirement(
    'console.pages.accessible',
    'No page has a fault that axe finds by WCAG 2.2 AA, in light and dark colors.',
  ),
  requirement('console.pages.fit', 'Pages fit every screen from 360 to 2,560 px, whatever the texts.'),
  requirement('console.pages.without-scripts', 'Pages say the same without scripts.'),
  requirement('console.roles.pages', 'A role sees its pages and forms only, and is linked to no others.'),
  requirement('console.roles.accounts', 'Ids of another account are not found, and change nothing.'),
  requirement('console.forms.origin', 'Forms are accepted only from pages of this server.'),
  requirement('console.forms.ended-session', 'A form that is sent after the session has ended loses nothing.'),
  requirement('console.forms.refused', 'Forms that are too large, or cannot be stored, change nothing.'),
]);
