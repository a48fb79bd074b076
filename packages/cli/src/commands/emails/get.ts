import { defineCommand } from '../../define-command.ts';
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
  run: async (invocation, connection, output, io) => {
    // Loaded only if it is shown: a call without the flag is as fast as one without a file of its own.
    const { showEmailWithConversations } =
      invocation.own.conversations === true ? await import('../../output/views/email.ts') : {};
    return await runOperation(invocation, connection, output, io, showEmailWithConversations);
  },
});
