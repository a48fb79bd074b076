import { defineCommand } from '../../define-command.ts';
import { showVolume } from '../../output/views/account-stats.ts';

export const definition = defineCommand({ id: 'account.volume', view: showVolume });
