import { requirement } from './requirement.ts';

/** The pages where people decide what agents send: a part of the section about the console. */
export const approvalPages = [
  requirement(
    'console.approvals.phone',
    'A person reads and approves a held message on a phone with two taps; the agent that waits learns of it.',
  ),
  requirement(
    'console.approvals.keys',
    'A message is opened and decided with three keys; typing into a field is no shortcut.',
  ),
  requirement('console.approvals.live', 'A new hold appears in the inbox without a reload.'),
  requirement(
    'console.approvals.no-script',
    'Reading and deciding, of one message and of several, work without JavaScript.',
  ),
  requirement(
    'console.approvals.edit',
    'An approver edits a held message and sees the difference before it is approved; a refused form keeps what was typed.',
  ),
  requirement(
    'console.approvals.files',
    'Pictures, PDF pages and texts are shown in the page. Other files are only downloaded, with a warning, and never rendered.',
  ),
  requirement(
    'console.approvals.undo',
    'A decision can be undone for five seconds. Leaving the page sends it. Several undos can be pending.',
  ),
  requirement(
    'console.approvals.notes',
    'The note of an approval and that of a rejection are separate. After an undo, what was typed is still in the form.',
  ),
  requirement(
    'console.approvals.layout',
    'The frame of a held message shows 600 pixels and fits its content. Nothing covers the form of a rejection, and nothing beside it decides.',
  ),
  requirement('console.approvals.once', 'A double click decides once.'),
  requirement(
    'console.approvals.lost',
    'If the connection is lost or the decision is refused, the message is shown again.',
  ),
  requirement('console.approvals.two-deciders', 'If two people decide, the second sees who decided, what and when.'),
  requirement(
    'console.approvals.many',
    'Several messages are decided at once, each with the hash of the content that was listed, with a result for each.',
  ),
  requirement(
    'console.approvals.hash',
    'A decision about content that has changed since it was shown decides nothing.',
  ),
  requirement('console.approvals.session-ends', 'If the session ends during an edit, nothing that was typed is lost.'),
  requirement(
    'console.approvals.link',
    'The link in an approval mail opens the same page for one message without signing in; GET changes nothing, and a used link shows who decided.',
  ),
  requirement('console.approvals.roles', 'Viewers see no held message; developers read them and cannot decide.'),
  requirement(
    'console.approvals.forecast',
    'The acceptance check runs before the decision: the page says why an approval would fail now.',
  ),
  requirement(
    'console.approvals.drafts',
    'Template drafts by held keys are compared, published and discarded in the same inbox.',
  ),
  requirement(
    'console.approvals.hostile',
    'Hostile bodies, subjects and file names: nothing runs, no request leaves, nothing covers the page, nothing overflows, and hidden characters are named.',
  ),
  requirement(
    'console.approvals.pictures',
    'Pictures of other servers are loaded only on request, over TLS; attached pictures that the HTML names are shown.',
  ),
];
