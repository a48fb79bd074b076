import type { NoteTry, TriedServer } from '../smtp-client/exchange.ts';
import { carryNoted, outcomeOf, replyOf } from '../smtp-client/server-try.ts';
import type { SmtpFault } from '../smtp-client/smtp-fault.ts';
import type { SmtpMessage } from '../smtp-client/smtp-message.ts';
import type { RecipientVerdict } from '../smtp-client/transport.ts';
import { concludeFindings, type FailedAttempt, type Finding, toFinding } from './direct-findings.ts';
import type { DirectPools } from './direct-pools.ts';
import { type DirectRoute, type DirectRouteOptions, findDirectRoute, findHostAddresses } from './direct-route.ts';
import { chooseNextStep, type HostProgress, mayTryElsewhere } from './direct-steps.ts';
import type { ExpiringSet } from './expiring-set.ts';
import { type Experience, orderAddresses, orderHosts } from './mx-order.ts';

export interface DirectAttemptOptions {
  readonly route: DirectRouteOptions;
  readonly pools: DirectPools;
  readonly port: number;
  /** Servers and addresses that did not respond recently. */
  readonly silent: ExpiringSet;
  /** In [0, 1). */
  readonly random: () => number;
  /** True when no new work may start. */
  readonly isStopped: () => boolean;
}

/**
 * Sends a message to the servers of one domain: looks them up and tries one after another until every recipient has a
 * verdict, or the limit of attempts is reached. Never rejects.
 *
 * @param message prepared, with recipients of this domain only.
 */
export async function attemptDirect(
  options: DirectAttemptOptions,
  domain: string,
  message: SmtpMessage,
  note?: NoteTry,
): Promise<readonly RecipientVerdict[]> {
  const startedMs = performance.now();
  const route = await findDirectRoute(domain, options.route);
  if (route.mx.kind !== 'hosts') {
    const { kind: outcome, ...rest } = route.mx;
    const verdicts = decideAll(message.recipients, { ...rest, outcome, reply: null, isAboutDomain: true });
    note?.(toUnconnectedTry(verdicts, null, startedMs));
    return verdicts;
  }
  return await new DirectAttempt(options, domain, message, route, route.mx, note).run();
}

/** Note about recipients for whom no server was connected to. */
export function toUnconnectedTry(verdicts: readonly RecipientVerdict[], server: TriedServer | null, startedMs: number) {
  return {
    recipients: verdicts.map(({ recipient }) => recipient),
    ...{ server, tls: null, isReused: false, lines: null },
    ...{ outcome: outcomeOf(verdicts), reply: replyOf(verdicts) },
    ...{ startedMs, endedMs: performance.now() },
  };
}

const MISSING = { forbidden: 'forbidden', none: 'no-address', unused: 'no-route', failed: 'unresolved' } as const;

class DirectAttempt {
  readonly #options: DirectAttemptOptions;
  readonly #domain: string;
  readonly #message: SmtpMessage;
  readonly #isVerified: boolean;
  readonly #isImplicit: boolean;
  readonly #hosts: { name: string; addresses: readonly string[] | null; hasResponded: boolean }[];
  readonly #verdicts = new Map<string, RecipientVerdict>();
  readonly #findings: Finding[] = [];
  readonly #startedAtMs = performance.now();
  readonly #note: NoteTry | undefined;
  #undecided: readonly string[];
  #connects = 0;

  constructor(
    options: DirectAttemptOptions,
    domain: string,
    message: SmtpMessage,
    { isVerified }: DirectRoute,
    mx: DirectRoute['mx'] & { readonly kind: 'hosts' },
    note: NoteTry | undefined,
  ) {
    this.#note = note;
    this.#options = options;
    this.#domain = domain;
    this.#message = message;
    this.#isVerified = isVerified;
    this.#isImplicit = mx.isImplicit;
    this.#undecided = message.recipients;
    this.#hosts = orderHosts(mx.hosts, this.#experience(null)).map(({ name }) => ({
      name,
      addresses: null,
      hasResponded: false,
    }));
  }

  async run(): Promise<readonly RecipientVerdict[]> {
    for (let step = this.#next(); step.do !== 'end'; step = this.#next()) {
      if (step.do === 'look-up') await this.#lookUp(step.host);
      else await this.#connect(step.host, step.address);
    }
    const failed = concludeFindings(this.#domain, this.#findings, {
      isImplicit: this.#isImplicit,
      isVerified: this.#isVerified,
    });
    const others = new Map(decideAll(this.#undecided, failed).map((verdict) => [verdict.recipient, verdict]));
    return this.#message.recipients.flatMap(
      (recipient) => this.#verdicts.get(recipient) ?? others.get(recipient) ?? [],
    );
  }

  #next() {
    return chooseNextStep({
      hosts: this.#hosts satisfies readonly HostProgress[],
      connects: this.#connects,
      elapsedMs: performance.now() - this.#startedAtMs,
      undecided: this.#options.isStopped() ? 0 : this.#undecided.length,
    });
  }

  async #lookUp(name: string): Promise<void> {
    const startedMs = performance.now();
    const found = await findHostAddresses(name, this.#options.route);
    const host = this.#hosts.find((one) => one.name === name);
    if (host === undefined) return;
    if (found.kind === 'found') {
      host.addresses = orderAddresses(found.ipv4, found.ipv6, this.#experience(name));
      return;
    }
    host.addresses = [];
    const finding: Finding = { kind: MISSING[found.kind], reason: found.reason, reply: null };
    this.#findings.push(finding);
    const verdicts = decideAll(this.#undecided, { ...finding, outcome: 'deferred' });
    this.#note?.(toUnconnectedTry(verdicts, { host: name, address: null, port: this.#options.port }, startedMs));
  }

  async #connect(name: string, address: string): Promise<void> {
    this.#connects += 1;
    const server = { host: name, address, isVerified: this.#isVerified };
    const result = await carryNoted(
      (message) => this.#options.pools.carry(server, message),
      { ...this.#message, recipients: this.#undecided },
      { host: name, address, port: this.#options.port },
      this.#note,
    );
    if (result.kind === 'sent') this.#recordVerdicts(result.verdicts);
    else this.#findings.push(toFinding(result.fault));
    this.#remember(name, address, result.kind === 'sent' ? null : result.fault);
  }

  #recordVerdicts(verdicts: readonly RecipientVerdict[]): void {
    for (const verdict of verdicts) this.#verdicts.set(verdict.recipient, verdict);
    // A recipient that is retried on another server keeps this verdict if no other server can be reached.
    this.#undecided = verdicts.filter(mayTryElsewhere).map(({ recipient }) => recipient);
  }

  /** Tries the next address, and remembers the ones that did not respond. */
  #remember(name: string, address: string, fault: SmtpFault | null): void {
    const host = this.#hosts.find((one) => one.name === name);
    if (host === undefined) return;
    host.addresses = (host.addresses ?? []).filter((other) => other !== address);
    const { silent } = this.#options;
    const isSilent = fault !== null && fault.reply === null && (fault.kind === 'lost' || fault.kind === 'timeout');
    host.hasResponded ||= !isSilent;
    if (isSilent) silent.add(`${name} ${address}`);
    else silent.delete(`${name} ${address}`);
    if (host.hasResponded) silent.delete(name);
    else if (host.addresses.length === 0) silent.add(name);
  }

  /** What is known about servers by their names, or about the addresses of one server if it is given. */
  #experience(host: string | null): Experience {
    const { pools, silent, random } = this.#options;
    return {
      random,
      isOpen: (key) =>
        host === null ? pools.hasIdle(key, this.#isVerified) : pools.hasIdle(host, this.#isVerified, key),
      isAvoided: (key) => silent.has(host === null ? key : `${host} ${key}`),
    };
  }
}

function decideAll(recipients: readonly string[], verdict: FailedAttempt): readonly RecipientVerdict[] {
  return recipients.map((recipient) => ({ ...verdict, recipient, ambiguous: false }));
}
