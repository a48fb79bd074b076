import { requirement, section } from './requirement.ts';

export const authentication = section('Authentication', [
  requirement(
    'authentication.bearer-key',
    'API calls are authenticated with an API key sent as `Authorization: Bearer <API_KEY>`.',
  ),
  requirement('authentication.mcp', '`POST /mcp` is authenticated by API key.'),
  requirement(
    'authentication.tools',
    '`POST /tools/:check`, `POST /tools/utm` and `GET /tools` require no authentication.',
  ),
  requirement('authentication.key-carries', 'A key can have: scopes, a recipient allowlist.'),
  requirement(
    'authentication.key-restrictions',
    'A key can have: a rate limit, a CIDR IP allowlist, an expiration date, a default agent persona (provenance defaults).',
  ),
  requirement(
    'authentication.approval-mode',
    'A key can have: an approval mode in which sends are held until they are decided at `/keys/approvals`.',
  ),
  requirement('authentication.scope-names', 'Scope names and values: not specified.'),
  requirement(
    'authentication.scope-values',
    'Scopes: `emails:send emails:read emails:content emails:content-all logs:read`; shorthands `sending` and `full` (`full` leaves out `approvals:decide`).',
  ),
  requirement(
    'authentication.further-scopes',
    'Scopes: `emails:cancel templates:read templates:write domains:read domains:write webhooks:read webhooks:write suppressions:read suppressions:write suppressions:delete stats:read account:read account:write keys:read keys:write approvals:read approvals:decide team:read team:write audit:read support:write`.',
  ),
  requirement(
    'authentication.allowlist',
    'The recipient allowlist of the key applies to `to`, `cc` and `bcc`, not to `reply_to`.',
  ),
  requirement(
    'authentication.sessions',
    'Interactive sessions use a magic link (`POST /auth/magic-link`), an OAuth login (`GET /auth/oauth/:provider`), `GET /auth/session` and `POST /auth/logout`.',
  ),
  requirement('authentication.session-form', 'Session credential form and lifetime: not specified.'),
]);
