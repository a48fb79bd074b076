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

  /**
   * @param others other ports of the settings that are in use too, so that the user can change all of them at once
   * @param free a free port for each, `at` first
   */
  constructor(
    at: ConfiguredPort,
    code: string,
    others: readonly ConfiguredPort[] = [],
    free: readonly number[] = [at.port + 1],
  ) {
    const also = others.map((other) => ` ${nameOf(other)} is in use too.`).join('');
    super(`${nameOf(at)} ${isTaken(code) ? 'is in use by another program' : `cannot be opened (${code})`}.${also}`);
    this.at = at;
    this.code = code;
    this.fix = isTaken(code)
      ? fixOfTaken([at, ...others], free)
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
  const isTakenToo = await Promise.all(others.map(isInUse));
  const taken = [error.at, ...others.filter((_, index) => isTakenToo[index])];
  const avoided = new Set(ports.map(({ port }) => port));
  const free: number[] = [];
  for (const at of taken) {
    const port = await findFree(at, avoided, isInUse);
    avoided.add(port);
    free.push(port);
  }
  return new PortError(error.at, error.code, taken.slice(1), free);
}

const LAST_PORT = 65_535;

/** The next port that is neither in use nor to be avoided. */
async function findFree(
  at: ConfiguredPort,
  avoided: ReadonlySet<number>,
  isInUse: (port: ConfiguredPort) => Promise<boolean>,
): Promise<number> {
  for (let port = at.port + 1; port < LAST_PORT; port += 1) {
    if (!avoided.has(port) && !(await isInUse({ ...at, port }))) return port;
  }
  return LAST_PORT;
}

function isTaken(code: string): boolean {
  return code === 'EADDRINUSE';
}

function nameOf({ port, purpose, host }: ConfiguredPort): string {
  return `Port ${port}${purpose === null ? '' : ` for ${purpose}`} on ${host}`;
}

function fixOfTaken(taken: readonly ConfiguredPort[], free: readonly number[]): string {
  const chosen = taken.map(({ settings, port }, index) => `${settings.port}=${free[index] ?? port + 1}`);
  const choice = taken.length === 1 ? 'choose another port' : 'choose other ports';
  return `Stop that program (another Postrider?), or ${choice}: ${chosen.join(' ')}.`;
}
