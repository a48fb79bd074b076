import type { CallableId } from '@postrider/core';
import type { Handler } from './context.ts';
import { getEmail } from './emails/get.ts';
import { listEmails } from './emails/list.ts';
import { sendEmail } from './emails/send.ts';
import { getOwnKey } from './keys/self.ts';
import { getRequest } from './requests/get.ts';
import { listRequests } from './requests/list.ts';
import { getHealth } from './service/health.ts';
import { getServiceInformation } from './service/information.ts';
import { getOpenApiJson, getOpenApiYaml } from './service/openapi-document.ts';
import { getReadiness } from './service/readiness.ts';

/** One handler an operation: an operation without one, or with a wrong output, does not compile. */
export const HANDLERS: { readonly [Id in CallableId]: Handler<Id> } = {
  'emails.send': sendEmail,
  'emails.list': listEmails,
  'emails.get': getEmail,
  'keys.self': getOwnKey,
  'requests.list': listRequests,
  'requests.get': getRequest,
  'service.information': getServiceInformation,
  'service.health': getHealth,
  'service.readiness': getReadiness,
  'service.openapi-json': getOpenApiJson,
  'service.openapi-yaml': getOpenApiYaml,
};
