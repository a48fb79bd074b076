import { defineCommand } from '../../define-command.ts';
import { showEmailWithConversations } from '../../output/views/email.ts';
import { switchFlag } from '../../own-flag.ts';
import { runOperation } from '../../run-operation.ts';

export const definition = defineCommand({
  id: 'emails.get',
  flags: {
    conversations: switchFlag(
      '--conversations',
      'Show the SMTP conversation of every delivery attempt, not only of the newest one that failed.',
    ),
  },
  run: (invocation, connection, output, io) =>
    runOperation(
      invocation,
      connection,
      output,
      io,
      invocation.own.conversations === true ? showEmailWithConversations : undefined,
    ),
});
