import type { CallableId } from '@postrider/core';
import { getAccount } from './account/get.ts';
import { updateAccount } from './account/update.ts';
import type { Handler } from './context.ts';
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

/** One handler an operation: an operation without one, or with a wrong output, does not compile. */
export const HANDLERS: { readonly [Id in CallableId]: Handler<Id> } = {
  'emails.send': sendEmail,
  'emails.send-batch': sendEmailBatch,
  'emails.cancel': cancelEmail,
  'emails.delete': deleteEmail,
  'emails.reschedule': rescheduleEmail,
  'emails.resend': resendEmail,
  'emails.list': listEmails,
  'emails.export': exportEmails,
  'emails.get': getEmail,
  'keys.self': getOwnKey,
  'requests.list': listRequests,
  'requests.get': getRequest,
  'suppressions.create': createSuppression,
  'suppressions.list': listSuppressions,
  'suppressions.get': getSuppression,
  'suppressions.delete': deleteSuppression,
  'account.get': getAccount,
  'account.update': updateAccount,
  'templates.create': createTemplate,
  'templates.list': listTemplates,
  'templates.get': getTemplate,
  'templates.update': updateTemplate,
  'templates.delete': deleteTemplate,
  'templates.render': renderTemplate,
  'templates.test': testTemplate,
  'tools.utm': tagLink,
  'service.information': getServiceInformation,
  'service.health': getHealth,
  'service.readiness': getReadiness,
  'service.openapi-json': getOpenApiJson,
  'service.openapi-yaml': getOpenApiYaml,
};
