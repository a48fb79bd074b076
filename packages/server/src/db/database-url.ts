export interface DatabaseHost {
  readonly host: string;
  /** Null means PostgreSQL's default. */
  readonly port: number | null;
}

/** Which of several servers to use. Both mean one that accepts writes; `read-write` also excludes a server that is set to read-only. */
export type SessionAttributes = 'read-write' | 'primary';

/** DATABASE_URL, with libpq's syntax: `postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write`. */
export interface DatabaseUrl {
  readonly hosts: readonly DatabaseHost[];
  /** Null if not set. */
  readonly sessionAttributes: SessionAttributes | null;
  /** The URL of a single host, which every driver understands. */
  urlOf(host: DatabaseHost): string;
  /** For messages: without the password and the parameters, which may contain one too. */
  readonly shown: string;
}

export type DatabaseUrlVerdict =
  | { readonly ok: true; readonly url: DatabaseUrl }
  | { readonly ok: false; readonly message: string; readonly fix: string };

const FORM = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]]*)(?::(\d{1,5}))?$/i;
const ATTRIBUTES = 'target_session_attrs';
const EXAMPLE =
  'Use postgres://user:password@host:5432/database, or unset it for the embedded Postgres. Several hosts are separated by commas: postgres://user:password@host1:5432,host2:5432/database';

/** Parses the URL. Its error messages never quote a part that may contain a password. */
export function parseDatabaseUrl(text: string): DatabaseUrlVerdict {
  const [, scheme, authority, path = '', query = ''] = FORM.exec(text) ?? [];
  if (scheme === undefined || authority === undefined) return refused('is not a postgres:// URL');
  const at = authority.lastIndexOf('@') + 1;
  const [login, list] = [authority.slice(0, at), authority.slice(at)];
  const hosts = list.split(',').map(toHost);
  const wrong = list.split(',').filter((_, index) => hosts[index] === null);
  if (wrong.length > 0) return refused(`names a host in a form that is not host or host:port: ${wrong.join(', ')}`);
  const known = hosts.filter((host) => host !== null);
  if (known.length > 1 && known.some(({ host }) => host === '')) return refused('has an empty name among its hosts');
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get(ATTRIBUTES);
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary') {
    return {
      ok: false,
      message: `has ${ATTRIBUTES}=${wanted}, but Postrider needs a server that accepts writes`,
      fix: `Use ${ATTRIBUTES}=read-write or ${ATTRIBUTES}=primary, or leave it out: of several hosts, the one that accepts writes is used.`,
    };
  }
  const rest = query.split('&').filter((part) => part !== '' && !part.startsWith(`${ATTRIBUTES}=`));
  const tail = rest.length === 0 ? '' : `?${rest.join('&')}`;
  const urlOf = (host: DatabaseHost) => `${scheme}${login}${nameOf(host)}${path}${tail}`;
  if (known.some((host) => URL.parse(urlOf(host)) === null)) return refused('is not a postgres:// URL');
  const user = login === '' ? '' : `${login.slice(0, -1).split(':')[0]}@`;
  return {
    ok: true,
    url: {
      hosts: known,
      sessionAttributes: wanted,
      urlOf,
      shown: `${scheme}${user}${known.map(nameOf).join(',')}${path}`,
    },
  };
}

/** The host as a URL writes it. */
export function nameOf({ host, port }: DatabaseHost): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === null ? name : `${name}:${port}`;
}

function toHost(text: string): DatabaseHost | null {
  const [, host, port] = HOST.exec(text) ?? [];
  if (host === undefined || Number(port ?? 0) > 65_535) return null;
  return { host: host.replaceAll(/^\[|\]$/g, ''), port: port === undefined ? null : Number(port) };
}

function refused(message: string): DatabaseUrlVerdict {
  return { ok: false, message, fix: EXAMPLE };
}
