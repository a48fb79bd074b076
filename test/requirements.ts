import { account, statistics } from './requirements/account.ts';
import { agentSignIn } from './requirements/agent-sign-in.ts';
import { approvers, severalApprovers } from './requirements/approvers.ts';
import { authentication } from './requirements/authentication.ts';
import { consolePages } from './requirements/console.ts';
import { contractErrors } from './requirements/contract-errors.ts';
import { contractMessageLog, contractMessages } from './requirements/contract-messages.ts';
import {
  contractDevelopment,
  contractOperator,
  contractRunning,
  contractSettings,
} from './requirements/contract-running.ts';
import {
  contractBatch,
  contractDryRun,
  contractIdempotency,
  contractQuota,
  contractResendAndCancel,
  contractSending,
  contractTestAddresses,
} from './requirements/contract-sending.ts';
import { contractShape } from './requirements/contract-shape.ts';
import { contractCli, contractSurfaces } from './requirements/contract-surfaces.ts';
import { domains } from './requirements/domains.ts';
import { emailsExport, emailsGet, emailsList } from './requirements/email-log.ts';
import { emailsBatch, emailsCancel, emailsResend, emailsSend } from './requirements/emails.ts';
import { errors, limits, versioning } from './requirements/errors-and-limits.ts';
import { events } from './requirements/events.ts';
import { holes } from './requirements/holes.ts';
import { approvals, keys } from './requirements/keys.ts';
import { notices } from './requirements/notices.ts';
import { installationMail, sessions, support, team } from './requirements/people-and-support.ts';
import { receipts } from './requirements/receipts.ts';
import {
  accountAndStatistics,
  batchResponse,
  exportRow,
  messageRecord,
  records,
  root,
  utmToolResponse,
} from './requirements/records.ts';
import type { Requirement } from './requirements/requirement.ts';
import { sendRequest, sendResponse, utm } from './requirements/send-request.ts';
import { general, service } from './requirements/service.ts';
import { states } from './requirements/states.ts';
import { health, mcp } from './requirements/system.ts';
import { suppressions, templates } from './requirements/templates-and-suppressions.ts';
import { tools } from './requirements/tools.ts';
import { webhooks } from './requirements/webhooks.ts';

export type { Requirement } from './requirements/requirement.ts';

/**
 * The requirements of the interface specification, then those that the contract adds, in the order of the two texts. A
 * test proves a requirement by naming its id in its tags. test/repository/requirements.test.ts fails if a requirement
 * has no test, or if a test cites an unknown id.
 */
export const REQUIREMENTS: readonly Requirement[] = [
  ...[general, service, sendRequest, utm, sendResponse, messageRecord, exportRow, batchResponse],
  ...[accountAndStatistics, utmToolResponse, root, records, states],
  ...[emailsSend, emailsBatch, emailsGet, emailsList, emailsExport, emailsCancel, emailsResend],
  ...[
    account,
    statistics,
    tools,
    domains,
    keys,
    approvals,
    approvers,
    severalApprovers,
    receipts,
    webhooks,
    templates,
    suppressions,
  ],
  ...[
    support,
    team,
    sessions,
    installationMail,
    notices,
    health,
    mcp,
    authentication,
    events,
    errors,
    limits,
    versioning,
  ],
  ...[contractShape, contractErrors, contractSending, contractIdempotency, contractDryRun, contractBatch],
  ...[contractResendAndCancel, contractQuota, contractTestAddresses, contractMessages, contractMessageLog],
  ...[contractSurfaces, contractCli, contractRunning, contractSettings, contractDevelopment, contractOperator],
  holes,
  agentSignIn,
  consolePages,
].flat();
