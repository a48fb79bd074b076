import type { CommandDescription } from './command-description.ts';
import { APPROVAL_COMMANDS } from './commands/approvals/describe-approvals.ts';
import { VERIFY } from './commands/audit/describe-verify.ts';
import { DEV } from './commands/dev/describe-dev.ts';
import { DOCTOR } from './commands/doctor/describe-doctor.ts';
import { REQUESTS_TAIL, TAIL } from './commands/log/describe-tail.ts';
import { MCP_COMMANDS } from './commands/mcp/describe-mcp.ts';
import { PEOPLE_COMMANDS } from './commands/people/describe-people.ts';
import { PROGRAM_COMMANDS } from './commands/program/describe-program.ts';
import { TEMPLATE_COMMANDS } from './commands/templates/describe-templates.ts';
import { WEBHOOK_COMMANDS } from './commands/webhooks/describe-webhooks.ts';

/** Commands that do more than call one operation. They are described like the generated ones, under ids that no operation has. */
export const OWN_COMMANDS: readonly CommandDescription[] = [
  TAIL,
  REQUESTS_TAIL,
  VERIFY,
  DOCTOR,
  DEV,
  ...APPROVAL_COMMANDS,
  ...MCP_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...PROGRAM_COMMANDS,
  ...TEMPLATE_COMMANDS,
  ...WEBHOOK_COMMANDS,
];
