/** One setting as `--help` and docs/configuration.md show it. */
export interface Setting {
  readonly name: string;
  readonly default: string;
  readonly description: string;
}

const DEFAULT_BLOCKLISTS =
  'zen.spamhaus.org=ip,b.barracudacentral.org=ip,bl.spamcop.net=ip,psbl.surriel.com=ip,dbl.spamhaus.org=domain,multi.surbl.org=domain';

export const SETTINGS = [
  {
    name: 'POSTRIDER_MODE',
    default: 'development, or production when NODE_ENV says so',
    description: '`development` or `production`.',
  },
  { name: 'POSTRIDER_HOST', default: '127.0.0.1', description: 'Address to listen on; in development loopback only.' },
  { name: 'POSTRIDER_PORT', default: '8025', description: 'HTTP port; 0 selects a free port.' },
  {
    name: 'POSTRIDER_BASE_URL',
    default: 'http://<host>:<port>',
    description:
      'Public address of the server, without credentials, query or fragment. Set it if the server listens on every address.',
  },
  {
    name: 'POSTRIDER_DATA_DIR',
    default: '.postrider',
    description:
      'Folder of the embedded Postgres, the journal and, in development, quickstart.json and the secret key.',
  },
  {
    name: 'DATABASE_URL',
    default: 'the embedded PostgreSQL 18',
    description:
      'A PostgreSQL 15 or newer to use instead, as postgres://user:password@host:5432/database. Several hosts, separated by commas, are a primary and its standbys: connections follow the one that accepts writes (`target_session_attrs` is `read-write` or `primary`).',
  },
  {
    name: 'POSTRIDER_TRANSPORT',
    default: 'capture in development, none in production',
    description:
      'How mail is sent: `capture` (stored in the development mailbox instead), `direct` (to the mail servers of each recipient), or `smtp://user:password@host:port?tls=none|starttls|implicit`. Without `tls`, STARTTLS is used if offered.',
  },
  {
    name: 'POSTRIDER_HELO_NAME',
    default: 'the full name of the machine, else the host of the base URL, else mail.<sandbox domain>',
    description:
      'The EHLO name: a host name, or an address such as [192.0.2.1]. With `direct` it should match the reverse DNS of the sending address.',
  },
  {
    name: 'POSTRIDER_SOURCE_ADDRESS',
    default: 'chosen by the system',
    description:
      'Address of this machine that `direct` sends from: an IPv4 address, an IPv6 address, or one of each, separated by a comma. With only one, mail is sent only over that address family.',
  },
  {
    name: 'POSTRIDER_ROLES',
    default: 'api,worker,smtp',
    description:
      'What this server does, also as `--roles`: some of `api` (serves the API), `worker` (delivers), `smtp` (receives mail over SMTP).',
  },
  {
    name: 'POSTRIDER_PROCESSES',
    default: 'as many as processors and memory allow in production, 1 in development',
    description:
      'Number of processes that share the work of this server, also as `--processes`: 1 to 64. Each has the same roles and needs up to 34 database connections.',
  },
  {
    name: 'POSTRIDER_SMTP_PORT',
    default: '2587',
    description: 'Port of SMTP submission with STARTTLS; 0 selects a free port.',
  },
  {
    name: 'POSTRIDER_SMTPS_PORT',
    default: '2465',
    description: 'Port of SMTP submission with implicit TLS; 0 selects a free port.',
  },
  {
    name: 'POSTRIDER_INBOUND_PORT',
    default: '2525',
    description:
      'Port that receives bounces and abuse reports over SMTP, with the role `smtp`; 0 selects a free port. Other mail servers connect to port 25 only: forward it to this one, or use 25.',
  },
  {
    name: 'POSTRIDER_METRICS_PORT',
    default: 'none: no metrics are served',
    description:
      'Port that serves `GET /metrics` for Prometheus, with any roles; 0 selects a free port. It requires no key: anyone who can reach the port can read it.',
  },
  {
    name: 'POSTRIDER_METRICS_HOST',
    default: '127.0.0.1',
    description: 'Address that metrics are served on; in development loopback only.',
  },
  {
    name: 'POSTRIDER_TLS_CERT',
    default: 'self-made in development',
    description:
      'File of the certificate chain for SMTP submission and for STARTTLS of inbound reports, PEM. In production SMTP submission is off without it.',
  },
  {
    name: 'POSTRIDER_TLS_KEY',
    default: 'self-made in development',
    description: 'File of the private key of the certificate, PEM.',
  },
  {
    name: 'POSTRIDER_DNS_SERVERS',
    default: 'the system’s',
    description: 'DNS servers to query, as `address` or `address:port`, separated by commas.',
  },
  {
    name: 'POSTRIDER_BLOCKLISTS',
    default: DEFAULT_BLOCKLISTS,
    description:
      'Blocklists that the tools query, as `zone=ip` or `zone=domain`, separated by commas; `none` for none. Large lists refuse public DNS servers.',
  },
  {
    name: 'POSTRIDER_SPAMD',
    default: 'none',
    description: 'A SpamAssassin daemon as `host:port`, whose score the tool for inbox placement adds.',
  },
  {
    name: 'POSTRIDER_SANDBOX_DOMAIN',
    default: 'sandbox.test',
    description: 'Domain of the test addresses; every account may send from and to it.',
  },
  {
    name: 'POSTRIDER_SUPPORT_FROM',
    default: 'support@<sandbox domain>',
    description:
      'Sender of replies to support tickets, as `Support <support@example.com>`: at the sandbox domain, or at a domain that an account of this installation has verified. It is signed with that domain’s keys, and appears in no account’s log.',
  },
  {
    name: 'POSTRIDER_SECRET_KEY',
    default: 'made in the data directory in development, required in production',
    description: 'Encrypts secrets at rest; at least 32 characters.',
  },
  {
    name: 'POSTRIDER_SECRET_KEY_PREVIOUS',
    default: 'none',
    description:
      'Former secret keys, separated by commas: they still decrypt stored secrets, and links and return paths signed with them stay valid. `postrider-server secrets rotate` encrypts everything with the current key.',
  },
  {
    name: 'POSTRIDER_TRUSTED_PROXIES',
    default: 'none',
    description: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted, separated by commas.',
  },
  {
    name: 'POSTRIDER_CONNECTIONS',
    default: '5000',
    description:
      'HTTP connections that may be open at the same time. Beyond it, idle connections are closed and new ones are refused. The limit on open files of the process has to be higher.',
  },
  {
    name: 'POSTRIDER_CONNECTIONS_PER_ADDRESS',
    default: '1500',
    description:
      'HTTP connections that one address may have open at the same time. It does not apply to trusted proxies; raise it for a proxy that is not listed there.',
  },
  {
    name: 'POSTRIDER_SMTP_CONNECTIONS',
    default: '2000',
    description:
      'SMTP submission connections that may be open at the same time, on both ports together; half of them may be connections that have not logged in. Further ones receive 421.',
  },
  {
    name: 'POSTRIDER_SMTP_CONNECTIONS_PER_ADDRESS',
    default: '500',
    description:
      'SMTP submission connections that one address may have open at the same time; a tenth of them may be connections that have not logged in. It does not apply to trusted proxies; raise it for a proxy that is not listed there.',
  },
  {
    name: 'POSTRIDER_MX_PORT',
    default: '25',
    description: 'Port of the mail servers that `direct` delivers to; change it only for tests.',
  },
  {
    name: 'POSTRIDER_MONTHLY_QUOTA',
    default: '100000',
    description: 'Recipients per account and UTC month, if the account does not have its own quota.',
  },
  {
    name: 'POSTRIDER_RETRY_HOURS',
    default: '24',
    description: 'Hours for which a deferred message is retried, 1 to 72; then it counts as bounced.',
  },
  {
    name: 'POSTRIDER_BODY_RETENTION_DAYS',
    default: '30',
    description:
      'Days for which message bodies and attachments are kept, at most as long as the log. A message without a final status keeps its content.',
  },
  {
    name: 'POSTRIDER_LOG_RETENTION_DAYS',
    default: '400',
    description:
      'Days for which messages and their events are kept in the log. A message without a final status stays.',
  },
  {
    name: 'POSTRIDER_EVENT_RETENTION_DAYS',
    default: '30',
    description:
      'Days for which webhook events and the attempts to deliver them are kept and can be replayed; one replay covers 7 days at most.',
  },
  {
    name: 'POSTRIDER_SIGNUP',
    default: 'open in development, closed in production',
    description: '`open` or `closed`: whether signing in with an unknown address creates an account.',
  },
  {
    name: 'POSTRIDER_PROGRAMS',
    default: 'published',
    description:
      'How programs can sign in to MCP: `published` fetches the details that they publish, and others register; `registered` fetches nothing, for servers without access to the internet; `off` lets no program sign in, and refuses tokens issued before.',
  },
  {
    name: 'POSTRIDER_MAIL_FROM',
    default: 'no-reply@<sandbox domain>',
    description:
      'Sender of sign-in links, invitations and other mail from the installation to users, as `Postrider <no-reply@example.com>`: at the sandbox domain, or at a domain that an account of this installation has verified. It is signed with that domain’s keys, and appears in no account’s log.',
  },
  {
    name: 'POSTRIDER_GITHUB_CLIENT_ID',
    default: 'none',
    description: 'Client id of an OAuth app at GitHub, for the sign-in `/auth/oauth/github`.',
  },
  { name: 'POSTRIDER_GITHUB_CLIENT_SECRET', default: 'none', description: 'Its client secret.' },
  {
    name: 'POSTRIDER_GITHUB_URL',
    default: 'https://github.com',
    description: 'Address of a GitHub Enterprise Server to sign in with instead.',
  },
  {
    name: 'POSTRIDER_GOOGLE_CLIENT_ID',
    default: 'none',
    description: 'Client id of a web application at Google, for the sign-in `/auth/oauth/google`.',
  },
  { name: 'POSTRIDER_GOOGLE_CLIENT_SECRET', default: 'none', description: 'Its client secret.' },
  {
    name: 'POSTRIDER_OIDC_ISSUER',
    default: 'none',
    description:
      'Issuer of any OpenID Connect provider, for the sign-in `/auth/oauth/oidc`. Every provider redirects users to `<base URL>/auth/oauth/<name>/callback`.',
  },
  { name: 'POSTRIDER_OIDC_CLIENT_ID', default: 'none', description: 'Client id at that provider.' },
  { name: 'POSTRIDER_OIDC_CLIENT_SECRET', default: 'none', description: 'Its client secret.' },
  {
    name: 'POSTRIDER_OIDC_NAME',
    default: 'oidc',
    description: 'Name of that provider in the path of its sign-in: lowercase letters, digits and hyphens.',
  },
  {
    name: 'POSTRIDER_LOG_LEVEL',
    default: 'info',
    description: '`debug`, `info`, `warn`, `error` or `silent`; the log is JSON lines on standard error.',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof SETTINGS)[number]['name'];

export function findSetting(name: SettingName): Setting {
  // The type ensures that every SettingName is in the table.
  return SETTINGS.find((setting) => setting.name === name) as Setting;
}
