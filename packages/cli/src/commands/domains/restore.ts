import { defineCommand } from '../../define-command.ts';
import { NAMED_DOMAIN } from '../../domains/named-domain.ts';

export const definition = defineCommand({ id: 'domains.restore', ...NAMED_DOMAIN });
