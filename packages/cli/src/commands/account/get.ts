import { defineCommand } from '../../define-command.ts';

export const definition = defineCommand({ id: 'account.get', shortcut: 'account' });
