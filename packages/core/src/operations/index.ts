import { getEmail } from './emails/get.ts';
import { listEmails } from './emails/list.ts';
import { sendEmail } from './emails/send.ts';
import { getOwnKey } from './keys/self.ts';
import { getRequest } from './requests/get.ts';
import { listRequests } from './requests/list.ts';
import { getHealth } from './service/health.ts';
import { getServiceInformation } from './service/information.ts';
import { postMcp } from './service/mcp.ts';
import { getOpenApiJson, getOpenApiYaml } from './service/openapi-document.ts';
import { getReadiness } from './service/readiness.ts';

/** The registry: the REST router, the OpenAPI document, the MCP tools, the SDK and the CLI are all made from this list. */
export const OPERATIONS = [
  sendEmail,
  listEmails,
  getEmail,
  getOwnKey,
  listRequests,
  getRequest,
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
