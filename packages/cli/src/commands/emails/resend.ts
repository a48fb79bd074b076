import { defineCommand } from '../../define-command.ts';
import { sendAndWait } from '../../sending/send-and-wait.ts';
import { WAIT_FLAG } from '../../sending/wait-flag.ts';

export const definition = defineCommand({ id: 'emails.resend', flags: { wait: WAIT_FLAG }, run: sendAndWait });
