import { requirement, section } from './requirement.ts';

export const contractRunning = section('contract: Running it', [
  requirement(
    'contract-running.names',
    'The product is called Postrider; packages are `@postrider/{core,server,sdk,mcp,cli}`, binaries `postrider`, `postrider-server`.',
  ),
  requirement('contract-running.stdio-binary', 'Binaries: `postrider-mcp`.'),
  requirement(
    'contract-running.start',
    '`npx -y pnpm@12.21.0 start` on a fresh clone needs nothing else: embedded PostgreSQL in the data directory, the `capture` transport, migrations, one account with an owner, one key (`full`), the sandbox domain ready to send from.',
  ),
  requirement(
    'contract-running.first-message',
    'It sends itself one message through the whole pipeline, then prints base URL, key and a `curl` to try, and last a line that begins `ready`.',
  ),
  requirement('contract-running.console-address', 'It prints the console address.'),
  requirement(
    'contract-running.open-console',
    'In development, a start prints a link, `<base URL>/console/open/<token>`, that opens the console signed in as the owner of the first account: once, within 24 h; HEAD and prefetching do not use it up.',
  ),
  requirement(
    'contract-running.quickstart',
    'It writes the same to `<data dir>/quickstart.json` (mode 0600): `{baseUrl, key, accountId, accountName, ownerEmail, mcpUrl}`.',
  ),
  requirement('contract-running.quickstart-console', '`quickstart.json`: `{consoleUrl}`.'),
  requirement('contract-running.quickstart-smtp', '`quickstart.json`: `{smtp:{host,port,tlsPort}}`.'),
  requirement('contract-running.default-profile', "`quickstart.json` is the CLI's default profile on that machine."),
  requirement('contract-running.second-start', 'A second start reuses everything.'),
  requirement(
    'contract-running.postgres-restarted',
    'If the embedded PostgreSQL exits, the server starts it again. Requests get 503 meanwhile.',
  ),
  requirement(
    'contract-running.production-start',
    'In production, a start creates no account and no quickstart.json (`accounts create --name --owner` prints `{accountId,key}`), but prints the ready line.',
  ),
  requirement(
    'contract-running.capture-in-production',
    'In production, `capture` is used only if it is set explicitly, with a warning.',
  ),
  requirement(
    'contract-running.drain',
    'On SIGTERM, the server accepts no new requests, completes running ones, releases its leases, and stops PostgreSQL last. It exits within 15 s.',
  ),
  requirement(
    'contract-running.smtp-login',
    'SMTP submission: AUTH PLAIN and LOGIN after TLS, user name `postrider`, password the key.',
  ),
]);

export const contractSettings = section('contract: Running it, settings', [
  requirement(
    'contract-settings.listed',
    'Settings, all with a default, all listed by `postrider-server --help` and in docs/configuration.md.',
  ),
  requirement('contract-settings.wrong', 'An invalid setting stops the start with an error that names it.'),
  requirement('contract-settings.mode', '`POSTRIDER_MODE` (development, or production when NODE_ENV says so).'),
  requirement(
    'contract-settings.address',
    '`POSTRIDER_HOST` (127.0.0.1), `POSTRIDER_PORT` (8025), `POSTRIDER_BASE_URL`.',
  ),
  requirement('contract-settings.storage', '`POSTRIDER_DATA_DIR` (.postrider), `DATABASE_URL` (embedded).'),
  requirement(
    'contract-settings.transport',
    '`POSTRIDER_TRANSPORT` (`capture` or `smtp://user:pass@host:port?tls=none|starttls|implicit`).',
  ),
  requirement('contract-settings.transport-direct', '`POSTRIDER_TRANSPORT` (`direct`), `POSTRIDER_MX_PORT` (25).'),
  requirement('contract-settings.roles', '`POSTRIDER_ROLES` (api,worker; also `--roles`).'),
  requirement('contract-settings.roles-smtp', '`POSTRIDER_ROLES` (smtp; also `--roles`).'),
  requirement('contract-settings.smtp-ports', '`POSTRIDER_SMTP_PORT` (2587), `POSTRIDER_SMTPS_PORT` (2465).'),
  requirement('contract-settings.inbound-port', '`POSTRIDER_INBOUND_PORT` (2525).'),
  requirement(
    'contract-settings.tls',
    '`POSTRIDER_TLS_CERT`, `POSTRIDER_TLS_KEY` (files; self-signed in development; without them in production, SMTP submission stays closed, with a warning).',
  ),
  requirement('contract-settings.dns-servers', "`POSTRIDER_DNS_SERVERS` (the system's; `127.0.0.1:5353` works)."),
  requirement('contract-settings.sandbox-domain', '`POSTRIDER_SANDBOX_DOMAIN` (sandbox.test).'),
  requirement(
    'contract-settings.secret-key',
    '`POSTRIDER_SECRET_KEY` (encrypts secrets at rest; created in the data directory in development, required in production).',
  ),
  requirement('contract-settings.trusted-proxies', '`POSTRIDER_TRUSTED_PROXIES`.'),
  requirement('contract-settings.monthly-quota', '`POSTRIDER_MONTHLY_QUOTA`.'),
  requirement('contract-settings.signup', '`POSTRIDER_SIGNUP`.'),
  requirement('contract-settings.log-level', '`POSTRIDER_LOG_LEVEL`.'),
  requirement('contract-settings.oauth', 'OAuth client settings per provider.'),
]);

export const contractDevelopment = section('contract: Running it, development mode', [
  requirement('contract-development.loopback-only', 'In development, the server listens on loopback addresses only.'),
  requirement(
    'contract-development.mailbox',
    "`GET /dev/mailbox` (`{messages:[{id,from,to[],subject,receivedAt}]}`, the envelope's recipients in `to`).",
  ),
  requirement('contract-development.mailbox-raw', '`GET /dev/mailbox/:id.eml`: a captured message, raw.'),
  requirement(
    'contract-development.accounts',
    '`POST /dev/accounts {name,ownerEmail}` → 201 `{accountId,key}`: another account.',
  ),
  requirement(
    'contract-development.session',
    '`POST /dev/session {email}` → 200 as `GET /auth/session`, with a session cookie.',
  ),
  requirement('contract-development.outbound', 'Outbound requests may use loopback addresses and http.'),
  requirement('contract-development.not-in-production', 'None of these exists in production.'),
]);

export const contractOperator = section('contract: Running it, operator commands', [
  requirement('contract-operator.accounts', '`postrider-server accounts create|list|suspend|resume`.'),
  requirement('contract-operator.erase', '`postrider-server accounts erase`.'),
  requirement('contract-operator.keys', '`keys create`.'),
  requirement('contract-operator.tickets', '`tickets list|show|answer <number> --body …|close`.'),
  requirement('contract-operator.stats', '`stats rebuild`.'),
  requirement('contract-operator.audit', '`audit verify`.'),
  requirement('contract-operator.migrate', '`migrate`.'),
  requirement('contract-operator.secrets', '`secrets rotate`.'),
  requirement(
    'contract-operator.anywhere',
    'The commands work in every mode, with and without a running server, and print JSON with `--json`.',
  ),
]);
