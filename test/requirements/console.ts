import { approvalPages } from './console-approvals.ts';
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
]);
