import { CLASSIFICATIONS, MESSAGE_EVENT_TYPES, MESSAGE_STATUSES } from '@postrider/core';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** docs/events.md: where a message can stand, what can stand on its trail, and why it bounced. */
export function renderEventsDoc(): string {
  return `${MARKDOWN_NOTICE}

# Statuses and events of a message

## Statuses

\`status\` says where a message stands. Opens and clicks are events, never statuses.

${renderNames('status', MESSAGE_STATUSES)}

## Events

\`events\` is the trail of a message, oldest first. An event names the recipient it is about; without one it is about the
whole message.

${renderNames('type', MESSAGE_EVENT_TYPES)}

## Classifications

\`classification\` says why a message bounced or was complained about; every other event carries null.

${renderNames('classification', CLASSIFICATIONS)}
`;
}

function renderNames(heading: string, meanings: Readonly<Record<string, string>>): string {
  return renderTable(
    [heading, 'meaning'],
    Object.entries(meanings).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
}
