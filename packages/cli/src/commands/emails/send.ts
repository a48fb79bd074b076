import { defineCommand } from '../../define-command.ts';
import { textsFlag } from '../../own-flag.ts';
import { withAttachments } from '../../sending/attachments.ts';
import { sendAndWait } from '../../sending/send-and-wait.ts';
import { WAIT_FLAG } from '../../sending/wait-flag.ts';

export const definition = defineCommand({
  id: 'emails.send',
  shortcut: 'send',
  flags: {
    attach: textsFlag(
      '--attach <file[:content-id]>',
      'Path of a file to attach. Append :content-id to make it inline, so that html can show it as cid:content-id. Repeatable.',
    ),
    wait: WAIT_FLAG,
  },
  async run(invocation, connection, output, io) {
    const values = await withAttachments(invocation.values, invocation.own.attach, io);
    return await sendAndWait({ ...invocation, values }, connection, output, io);
  },
});
