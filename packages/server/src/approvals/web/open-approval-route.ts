import type { FastifyInstance } from 'fastify';
import { readClientInfo } from '../../auth/client-info.ts';
import { readCookieSession } from '../../auth/web/cookie-session.ts';
import { readApproval } from '../../db/queries/approvals.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import type { Services } from '../../operations/context.ts';
import { isUuid } from '../../uuid-v7.ts';
import { APPROVAL_PAGE_POLICY, renderUnknownApprovalPage } from './approval-pages.ts';

const PATH = '/approvals/open/:id';

/**
 * The address of a held send that agents may give to their users, since it contains no secret. It leads signed-in users to the page in the
 * console. Users who may not decide, and users of other accounts, get the same 404 as for an unknown id.
 */
export function addOpenApprovalRoute(app: FastifyInstance, services: Services): void {
  const { auth } = services;
  const { baseUrl } = services.installation;
  app.get(PATH, async (request, reply) => {
    const { id } = request.params as { readonly id: string }; // The route has this parameter.
    const clientInfo = readClientInfo(request.headers, request.ip, auth.cookies, baseUrl);
    const caller = (await readCookieSession(clientInfo, auth))?.caller ?? null;
    if (caller === null) {
      const here = `/approvals/open/${encodeURIComponent(id)}`;
      return reply.redirect(`/auth/sign-in?next=${encodeURIComponent(here)}`, 303);
    }
    const { accountId, user, scopes } = caller;
    const { sql } = services.forAccount(accountId).database;
    const mayDecide = user !== null && scopes.includes('approvals:decide') && isUuid(id);
    const hold = mayDecide ? await readApproval(sql, { accountId, keyId: null, id }) : null;
    if (hold === null) {
      return reply
        .code(404)
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', APPROVAL_PAGE_POLICY)
        .header('referrer-policy', 'no-referrer')
        .send(renderUnknownApprovalPage());
    }
    return reply.header('referrer-policy', 'no-referrer').redirect(`/console/approvals/${hold.id}`, 303);
  });
  refuseOtherMethods(app, PATH, ['GET']);
}
