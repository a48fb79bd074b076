import { defineCommand } from '../../define-command.ts';
import { showDecision } from '../../output/views/approval.ts';

export const definition = defineCommand({ id: 'approvals.decide', view: showDecision });
