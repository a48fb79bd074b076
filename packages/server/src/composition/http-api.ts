import type { AnonymousLimits } from '@postrider/core';
import { addApprovalRoutes } from '../approvals/web/approval-routes.ts';
import { addOpenApprovalRoute } from '../approvals/web/open-approval-route.ts';
import { readSessionToken } from '../auth/client-info.ts';
import { createDevicePage } from '../auth/web/device-routes.ts';
import { addOAuthCallback, createOAuthStart } from '../auth/web/oauth-routes.ts';
import { addPasskeyRoutes } from '../auth/web/passkey-routes.ts';
import { addSignInRoutes } from '../auth/web/sign-in-routes.ts';
import { addConsoleRoutes } from '../console/web/console-routes.ts';
import { addDevelopmentRoutes } from '../console/web/development-routes.ts';
import { addLiveRoute } from '../console/web/live-route.ts';
import { addMailboxRoutes } from '../console/web/mailbox-routes.ts';
import { addOpenConsoleRoute } from '../console/web/open-console-route.ts';
import { CONSOLE_PAGES } from '../console/web/pages.ts';
import { renderProblem } from '../console/web/problem-document.ts';
import type { Sql } from '../db/client.ts';
import { createTrackingRecorder } from '../events/tracking-recorder.ts';
import { addAgentGuide } from '../http/agent-guide-route.ts';
import { createAnonymousRateLimit } from '../http/anonymous-rate-limit.ts';
import { createHttpApp } from '../http/create-http-app.ts';
import { createMcpRoute } from '../http/mcp-route.ts';
import { addReferenceRoutes } from '../http/reference-routes.ts';
import type { RequestLog } from '../http/request-log.ts';
import { addOperationRoutes } from '../http/router.ts';
import { addTrackingRoutes } from '../http/tracking-routes.ts';
import { refuseForeignOrigins } from '../http/trusted-origin.ts';
import { addUnsubscribeRoutes } from '../http/unsubscribe-routes.ts';
import { createClientCounter } from '../keys/client-rate-limit.ts';
import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import type { KeyRates } from '../keys/key-rates.ts';
import { createTrackingTokens } from '../links/tracking-token.ts';
import { createSessionIds } from '../mcp-sessions/session-id.ts';
import { createSessionWatcher } from '../mcp-sessions/session-watcher.ts';
import { endSignIn } from '../oauth-server/end-sign-in.ts';
import { mcpResources } from '../oauth-server/oauth-paths.ts';
import { createOAuthService } from '../oauth-server/oauth-service.ts';
import { renderConsentFaultPage, renderReturnPage } from '../oauth-server/web/consent-page.ts';
import { addOAuthServerRoutes } from '../oauth-server/web/oauth-routes.ts';
import type { Services } from '../operations/context.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import { ProblemError } from '../problem.ts';
import { addReceiptKeysRoute } from '../receipts/web/receipt-keys-route.ts';
import { addAssetRoutes } from '../ui/asset-routes.ts';
import { addFavicon } from '../ui/favicon-route.ts';
import { PAGE_ASSETS } from '../ui/page-assets.ts';
import { addPdfFrame } from '../ui/pdf-frame-route.ts';
import { addRuler } from '../ui/ruler-route.ts';
import { createUnsubscribeLinks } from '../unsubscribe/unsubscribe-links.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AppOptions } from './app-options.ts';

/** Running requests get this long; then their connections are closed, because an endless one must not block the shutdown. */
const HTTP_DRAIN_MS = 3_000;

/** Each fetch goes to a host that the requester chose. */
const METADATA_FETCHES: AnonymousLimits = { count: 'metadata', requestsPerMinute: 20 };

/** The `api` role: every route, as one part. Nothing listens yet. */
export function createApi(
  options: AppOptions,
  services: Services,
  {
    authenticator,
    rates,
    requestLog,
  }: { readonly authenticator: KeyAuthenticator; readonly rates: KeyRates; readonly requestLog: RequestLog },
  ids: IdGenerator,
  sql: Sql,
  outboundHttp: OutboundClient,
  warn: (error: unknown, what: string) => void,
) {
  const { config, clock, logger, baseUrl, processes = 1 } = options;
  const http = createHttpApp({
    baseUrl,
    trustedProxies: config.trustedProxies,
    logger,
    requestLog,
    connections: config.connections,
    processes,
    renderProblem,
    identify: async (headers) => {
      const sessionToken = readSessionToken(headers, services.auth.cookies);
      if (sessionToken === null) return await authenticator.identify(headers.authorization);
      return (await services.auth.sessions.find(sessionToken))?.caller ?? null;
    },
  });
  const anonymousRates = createAnonymousRateLimit(options.supervision?.clients ?? createClientCounter(clock));
  const { auth } = services;
  const sessions = {
    ids: createSessionIds(config.secretKey(), config.formerSecretKeys()),
    watcher: createSessionWatcher({ sql, clock, onError: warn }),
  };
  const hasPrograms = config.programs !== 'off';
  const authentication = { authenticator, auth, baseUrl, hasPrograms };
  const mcp = createMcpRoute({ ...authentication, services, logger, anonymousRates, rates, sessions });
  const signIn = { auth, baseUrl, anonymousRates, onError: warn, isDevelopment: config.mode === 'development' };
  const addPrograms = () => {
    const keys = { sql, clock, ids };
    const load = createOAuthService({
      ...{ sql, clock, baseUrl, http: outboundHttp, onError: warn, renderError: renderConsentFaultPage },
      renderReturn: renderReturnPage,
      resources: mcpResources(baseUrl),
      fetchesMetadata: config.programs === 'published',
      secretKeys: [config.secretKey(), ...config.formerSecretKeys()],
      endSignIn: async (signIn, why) => {
        await endSignIn(keys, signIn, why);
        services.callers.forget();
      },
      countFetch: (address) =>
        anonymousRates.assertCount(METADATA_FETCHES, address).then(
          () => true,
          (error: unknown) => {
            if (error instanceof ProblemError) return false;
            throw error;
          },
        ),
    });
    addOAuthServerRoutes(http, {
      auth,
      baseUrl,
      anonymousRates,
      keys,
      load,
      fetchesMetadata: config.programs === 'published',
    });
  };
  const rawRoutes = {
    'service.mcp': mcp.handle,
    'service.mcp-stream': mcp.stream,
    'service.mcp-end': mcp.end,
    'auth.oauth': createOAuthStart(signIn),
    'auth.device-page': createDevicePage(signIn),
  };
  addOperationRoutes(http, { ...authentication, services, rates, rawRoutes, anonymousRates });
  addSignInRoutes(http, signIn);
  addPasskeyRoutes(http, signIn);
  addOAuthCallback(http, signIn);
  if (hasPrograms) addPrograms();
  addReferenceRoutes(http, baseUrl);
  addAgentGuide(http, baseUrl);
  addReceiptKeysRoute(http, services.receipts);
  addAssetRoutes(http, PAGE_ASSETS);
  addPdfFrame(http, PAGE_ASSETS, baseUrl);
  addRuler(http);
  addFavicon(http);
  addConsoleRoutes(http, { services, rates, routes: CONSOLE_PAGES });
  addApprovalRoutes(http, services);
  addLiveRoute(http, services, { baseUrl, hasMailbox: config.mode === 'development' });
  addOpenApprovalRoute(http, services);
  addUnsubscribeRoutes(http, {
    links: createUnsubscribeLinks({
      ...{ baseUrl, secretKey: config.secretKey() },
      formerSecretKeys: config.formerSecretKeys(),
    }),
    tools: { sql, clock, ids, sandboxDomain: config.sandboxDomain },
  });
  const recorder = createTrackingRecorder({ sql, clock, ids, onError: warn });
  const tokens = createTrackingTokens(config.secretKey(), config.formerSecretKeys());
  addTrackingRoutes(http, { sql, recorder, tokens });
  if (config.mode === 'development') {
    http.register(async (development) => {
      development.addHook('onRequest', refuseForeignOrigins(baseUrl));
      addMailboxRoutes(development, sql, services);
      addOpenConsoleRoute(development, auth, baseUrl);
      addDevelopmentRoutes(development, { tools: { sql, clock, ids }, auth, sandboxDomain: config.sandboxDomain });
    });
  }
  const drain = async () => {
    // These requests never end by themselves.
    await mcp.endListening();
    const cut = setTimeout(() => http.server.closeAllConnections(), HTTP_DRAIN_MS);
    await http.close();
    clearTimeout(cut);
  };
  const stop = async () => {
    await recorder.close();
    await mcp.close();
  };
  return { http, drain, stop };
}
