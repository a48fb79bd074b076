/** A port that the server listens on, and the settings that choose it. */
export interface ConfiguredPort {
  readonly host: string;
  readonly port: number;
  readonly settings: { readonly host: string; readonly port: string };
  /** As in "Port 2587 for SMTP submission"; null for the API. */
  readonly purpose: string | null;
}

/** A port that cannot be opened. `fix` says what to do about it. */
export class PortError extends Error {
  override readonly name = 'PortError';
  readonly at: ConfiguredPort;
  readonly code: string;
  readonly fix: string;

  /** @param others other ports of the settings that are in use too, so that the user can change all of them at once */
  constructor(at: ConfiguredPort, code: string, others: readonly ConfiguredPort[] = []) {
    const also = others.map((other) => ` ${nameOf(other)} is in use too.`).join('');
    super(`${nameOf(at)} ${isTaken(code) ? 'is in use by another program' : `cannot be opened (${code})`}.${also}`);
    this.at = at;
    this.code = code;
    this.fix = isTaken(code)
      ? fixOfTaken([at, ...others])
      : `Choose another ${at.settings.host} or ${at.settings.port}.`;
  }
}

/** The PortError of a failure to listen on one of the ports; any other error as it is. */
export function toPortError(error: unknown, ports: readonly ConfiguredPort[]): unknown {
  if (!(error instanceof Error && 'code' in error && 'port' in error)) return error;
  const at = ports.find(({ port }) => port === error.port);
  return at === undefined ? error : new PortError(at, String(error.code));
}

/**
 * Names the other ports that are in use too, if the reason is a port in use. Otherwise the user would find them one start at a time.
 * @param isInUse probes a port
 */
export async function withOtherPorts(
  error: PortError,
  ports: readonly ConfiguredPort[],
  isInUse: (port: ConfiguredPort) => Promise<boolean>,
): Promise<PortError> {
  if (!isTaken(error.code)) return error;
  const others = ports.filter(({ port }) => port !== error.at.port && port !== 0);
  const taken = await Promise.all(others.map(isInUse));
  return new PortError(
    error.at,
    error.code,
    others.filter((_, index) => taken[index]),
  );
}

function isTaken(code: string): boolean {
  return code === 'EADDRINUSE';
}

function nameOf({ port, purpose, host }: ConfiguredPort): string {
  return `Port ${port}${purpose === null ? '' : ` for ${purpose}`} on ${host}`;
}

function fixOfTaken(taken: readonly ConfiguredPort[]): string {
  const free = taken.map(({ settings, port }) => `${settings.port}=${port + 1}`);
  const choice = taken.length === 1 ? 'choose another port' : 'choose other ports';
  return `Stop that program (another Postrider?), or ${choice}: ${free.join(' ')}.`;
}
