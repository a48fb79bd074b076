import type { CommandDescription } from './command-description.ts';
import { VERIFY } from './commands/audit/describe-verify.ts';
import { DOCTOR } from './commands/doctor/describe-doctor.ts';
import { TAIL } from './commands/log/describe-tail.ts';
import { TEMPLATE_COMMANDS } from './commands/templates/describe-templates.ts';

/** Commands that do more than call one operation. They are described like the generated ones, under ids that no operation has. */
export const OWN_COMMANDS: readonly CommandDescription[] = [TAIL, VERIFY, DOCTOR, ...TEMPLATE_COMMANDS];
