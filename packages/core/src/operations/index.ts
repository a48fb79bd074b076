import { getAccount } from './account/get.ts';
import { updateAccount } from './account/update.ts';
import { cancelEmail, deleteEmail } from './emails/cancel.ts';
import { exportEmails } from './emails/export.ts';
import { getEmail } from './emails/get.ts';
import { listEmails } from './emails/list.ts';
import { rescheduleEmail } from './emails/reschedule.ts';
import { resendEmail } from './emails/resend.ts';
import { sendEmail } from './emails/send.ts';
import { sendEmailBatch } from './emails/send-batch.ts';
import { getOwnKey } from './keys/self.ts';
import { getRequest } from './requests/get.ts';
import { listRequests } from './requests/list.ts';
import { getHealth } from './service/health.ts';
import { getServiceInformation } from './service/information.ts';
import { postMcp } from './service/mcp.ts';
import { getOpenApiJson, getOpenApiYaml } from './service/openapi-document.ts';
import { getReadiness } from './service/readiness.ts';
import { createSuppression } from './suppressions/create.ts';
import { deleteSuppression } from './suppressions/delete.ts';
import { getSuppression } from './suppressions/get.ts';
import { listSuppressions } from './suppressions/list.ts';
import { createTemplate } from './templates/create.ts';
import { deleteTemplate } from './templates/delete.ts';
import { getTemplate } from './templates/get.ts';
import { listTemplates } from './templates/list.ts';
import { renderTemplate } from './templates/render.ts';
import { testTemplate } from './templates/test.ts';
import { updateTemplate } from './templates/update.ts';
import { tagLink } from './tools/utm.ts';

/** The registry: the REST router, the OpenAPI document, the MCP tools, the SDK and the CLI are all made from this list. */
export const OPERATIONS = [
  sendEmail,
  sendEmailBatch,
  listEmails,
  exportEmails,
  getEmail,
  cancelEmail,
  deleteEmail,
  rescheduleEmail,
  resendEmail,
  getOwnKey,
  listRequests,
  getRequest,
  createSuppression,
  listSuppressions,
  getSuppression,
  deleteSuppression,
  getAccount,
  updateAccount,
  createTemplate,
  listTemplates,
  getTemplate,
  updateTemplate,
  deleteTemplate,
  renderTemplate,
  testTemplate,
  tagLink,
  getServiceInformation,
  getHealth,
  getReadiness,
  getOpenApiJson,
  getOpenApiYaml,
  postMcp,
] as const;

export type AnyOperation = (typeof OPERATIONS)[number];
export type OperationId = AnyOperation['id'];
export type OperationById<Id extends OperationId> = Extract<AnyOperation, { readonly id: Id }>;

/** Operations that take an input and give an output; `raw` ones speak a protocol of their own. */
export type CallableOperation = Exclude<AnyOperation, { readonly response: 'raw' }>;
export type CallableId = CallableOperation['id'];

const byId = new Map<string, AnyOperation>(OPERATIONS.map((operation) => [operation.id, operation]));

export function findOperation<Id extends OperationId>(id: Id): OperationById<Id> {
  // The map is keyed by the id of its value, which the type system cannot see.
  return byId.get(id) as OperationById<Id>;
}
