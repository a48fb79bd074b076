import { type Command, Option } from 'commander';
import type { CommandDescription, InputDescription } from '../../command-description.ts';
import { COMMANDS } from '../../generated/commands.ts';

export const INBOX_COMMAND = 'approvals';
export const APPROVE_COMMAND = 'approvals approve';
export const REJECT_COMMAND = 'approvals reject';
export const EDIT_COMMAND = 'approvals edit';

const DECIDE = COMMANDS.find(({ id }) => id === 'approvals.decide');
const WHO_DECIDES =
  'Users can decide if their role allows it and they ticked “Approve and reject held sends” at `postrider login`. So can keys with `approvals:decide`, except the key that sent it.';
const FAILED =
  'Where the acceptance check refuses the message by then, it is approved and yet not sent, and the command ends with 12.';

/** How people decide at the command line, beside the operations themselves. The group's own comes last, when all of the group is there. */
export const APPROVAL_COMMANDS: readonly CommandDescription[] = [
  own(
    APPROVE_COMMAND,
    'Approve a held send',
    `Approves one hold without the inbox. ${FAILED} ${WHO_DECIDES}`,
    ['postrider approvals approve <id>', 'postrider approvals approve <id> --remember --note "Known customer."'],
    ['id', 'note', 'contentHash'],
  ),
  own(
    REJECT_COMMAND,
    'Reject a held send',
    `Rejects one hold. Whoever sent it reads the code and the note, and an agent corrects itself by them. ${WHO_DECIDES}`,
    [
      'postrider approvals reject <id> --code wrong_recipient',
      'postrider approvals reject <id> --code other --note "Ask Ada first."',
    ],
    ['id', 'note', 'contentHash'],
  ),
  own(
    EDIT_COMMAND,
    'Change a held send and approve it',
    `Opens the hold as a file in $VISUAL or $EDITOR, shows what was changed, asks, and approves it so. Only what was changed is sent. ${FAILED} ${WHO_DECIDES}`,
    ['postrider approvals edit <id>', 'EDITOR=nano postrider approvals edit <id> --note "Kinder words."'],
    ['id', 'note'],
  ),
  own(
    INBOX_COMMAND,
    'Decide held sends and template drafts, in an inbox',
    `Opens the inbox of held sends and template drafts, a live list. For each send it shows every recipient with the blind copies, why it is held, its files, the real target of each link, and its bodies. a approves, e edits it in $EDITOR first, r rejects with a code and a note, space selects several, ? shows all keys. A template draft is shown as a difference from the current version; a publishes it and r discards it. A decision applies only to what you saw: if it changed, you are asked again. Without a terminal, or with \`--json\`, it prints the same as \`postrider approvals list --status pending\`; \`postrider templates drafts\` lists the drafts. ${WHO_DECIDES}`,
    ['postrider approvals', 'EDITOR="code --wait" postrider approvals', 'postrider approvals --json'],
    [],
  ),
];

function own(
  command: string,
  summary: string,
  description: string,
  examples: readonly string[],
  names: readonly string[],
): CommandDescription {
  const inputs = names.flatMap(
    (name): readonly InputDescription[] => DECIDE?.inputs.filter((input) => input.name === name) ?? [],
  );
  const scope = command === INBOX_COMMAND ? null : (DECIDE?.scope ?? null);
  return { id: command, command, summary, description, needsKey: true, scope, examples, inputs };
}

/** The flags that are spelled otherwise than the operation's. */
export function describeApprovals(command: Command, id: string): Command {
  if (id === REJECT_COMMAND) {
    const code = DECIDE?.inputs.find(({ name }) => name === 'rejectCode')?.value;
    const choices = code?.kind === 'choice' ? code.choices : [];
    command.addOption(new Option('--code <code>', 'Why it is rejected.').choices([...choices]));
  }
  if (id === EDIT_COMMAND) command.addOption(new Option('--yes', 'Approve the changed mail without asking.'));
  if (id === APPROVE_COMMAND || id === EDIT_COMMAND) {
    const words = 'Trust these recipients for this key from now on.';
    command.addOption(new Option('--remember', words));
  }
  return command;
}
