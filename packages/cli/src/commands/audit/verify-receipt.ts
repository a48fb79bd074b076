import type { CliIo } from '../../cli-io.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { usageFailure } from '../../failure.ts';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../../output/json-value.ts';
import { singleLine } from '../../output/untrusted-text.ts';
import { formArgument, textFlag, textsFlag } from '../../own-flag.ts';
import { compareFile, compareMessage } from '../../receipts/compare-message.ts';
import { openReceipt, type ReceiptVerdict, refuse } from '../../receipts/open-receipt.ts';
import { type KeySet, readBytes, readKeySet, readReceipt, readRecord } from '../../receipts/receipt-files.ts';
import { findApproverFault } from '../../receipts/verify-approvers.ts';
import { findPasskeyFault } from '../../receipts/verify-passkey.ts';

interface Compared {
  readonly issuer: string | null;
  readonly message: JsonRecord | null;
  readonly files: readonly (readonly [name: string, content: Uint8Array])[];
}

/** Verifies the receipt of a decision, without calling the server. */
export const definition = defineCommand({
  id: 'audit verify-receipt',
  about: {
    summary: 'Verify the receipt of an approval',
    description:
      'Verifies the receipt of an approval or a rejection: the file of the console, the output of `postrider approvals receipt`, or the hold as JSON. It needs no server and no key: `--keys` names the key set, which you save once from `<base URL>/.well-known/postrider-receipts.json`. With `--message`, it computes the hash of an exported message again and compares it. Exits with code 1 if the receipt is refused. With `--json`: `{ok, reason: null | "malformed" | "unknown_key" | "signature" | "issuer" | "passkey" | "message" | "file", message, receipt}`.',
    needsKey: false,
    scope: null,
    examples: [
      'postrider audit verify-receipt receipt.jws --keys keys.json',
      'postrider audit verify-receipt receipt.jws --keys https://mail.example.com/.well-known/postrider-receipts.json',
      'postrider audit verify-receipt hold.json --keys keys.json --message hold.json --attachment invoice.pdf',
    ],
  },
  args: { file: formArgument('The file with the receipt.', { pattern: /^.+$/, fix: 'Name a file.' }) },
  flags: {
    keys: textFlag('--keys <file-or-url>', 'The key set of the server that made the receipt.'),
    issuer: textFlag(
      '--issuer <url>',
      'The base URL that must have made it. Known if `--keys` is the address of a server.',
    ),
    message: textFlag('--message <file>', 'The hold as JSON, to compare its content.'),
    attachment: textsFlag('--attachment <file>', 'An attached file that the receipt must list. Repeatable.'),
  },
  async runAlone({ own, options }, output, io) {
    if (own.keys === undefined) {
      const fix = 'Pass the keys of the server: <base URL>/.well-known/postrider-receipts.json, or a file with them.';
      throw usageFailure('`--keys` is missing', fix);
    }
    const keySet = await readKeySet(own.keys, options.timeoutSeconds * 1_000, io);
    const receipt = await readReceipt(own.file, io);
    const compared = await readCompared(own, io);
    const verdict = judge(receipt, keySet, { ...compared, issuer: own.issuer ?? keySet.issuer });
    const message = verdict.ok ? null : verdict.message;
    if (output.isJson) {
      const { ok } = verdict;
      output.writeJson({ ok, reason: ok ? null : verdict.reason, message, receipt: ok ? verdict.claims : null });
    } else if (verdict.ok) output.writeText(describe(verdict.claims, verdict.kid, compared));
    else output.writeText(`Refused (${verdict.reason}): ${verdict.message}\n`);
    return verdict.ok ? EXIT_CODES.done : EXIT_CODES.unexpected;
  },
});

async function readCompared(
  {
    message,
    attachment = [],
  }: { readonly message?: string | undefined; readonly attachment?: readonly string[] | undefined },
  io: CliIo,
): Promise<Omit<Compared, 'issuer'>> {
  const files = await Promise.all(attachment.map(async (path) => [path, await readBytes(path, io)] as const));
  return { message: message === undefined ? null : await readRecord(message, io), files };
}

function judge(receipt: string, { keys }: KeySet, { issuer, message, files }: Compared): ReceiptVerdict {
  const verdict = openReceipt(receipt, keys);
  if (!verdict.ok) return verdict;
  const { claims } = verdict;
  if (issuer !== null && claims['iss'] !== issuer.replace(/\/$/, '')) {
    return refuse('issuer', `It was not made by ${issuer}.`);
  }
  const passkeyFault = recordsOf(claims['deciders'])
    .map((decider) => findPasskeyFault(claims, decider))
    .find(Boolean);
  if (passkeyFault != null) return refuse('passkey', passkeyFault);
  const approverFault = findApproverFault(claims);
  if (approverFault !== null) return refuse('approvers', approverFault);
  const faults = [
    message === null ? null : compareMessage(message, claims),
    ...files.map(([name, content]) => compareFile(name, content, claims)),
  ];
  return faults.find((fault) => fault !== null) ?? verdict;
}

function describe(claims: JsonRecord, kid: string, { message, files }: Omit<Compared, 'issuer'>): string {
  const text = (name: string) => singleLine(textOf(claims[name]));
  const hold = isRecord(claims['hold']) ? claims['hold'] : {};
  const reasons = Array.isArray(hold['reasons']) ? hold['reasons'].map(textOf).join(', ') : '';
  const rows = [
    ['Decision', `${text('decision')} at ${text('decidedAt')}`],
    ...recordsOf(claims['deciders']).map((decider) => ['By', singleLine(describeDecider(decider))]),
    ['Email', `${text('emailId')}, revision ${text('revision')}`],
    ['Approval', text('approvalId')],
    ['Account', text('accountId')],
    ['Held by', singleLine(reasons)],
    ['Content', `${text('contentHash')}${message === null ? ' (not compared)' : ' (the message matches)'}`],
    ...files.map(([name]) => ['File', `${singleLine(name)} (matches)`]),
    ['Issuer', text('iss')],
    ['Key', singleLine(kid)],
  ];
  return `The receipt is valid.\n${rows.map(([name = '', value]) => `${name.padEnd(10)}${value}\n`).join('')}`;
}

function describeDecider(decider: JsonRecord): string {
  const [kind, way, id] = [textOf(decider['kind']), textOf(decider['way']), textOf(decider['id'])];
  const name = kind === 'key' ? `the key ${textOf(decider['name'])}` : textOf(decider['email']);
  const proof = decider['assertion'] === undefined ? '' : ', with a passkey';
  return `${name} (${id}), by ${way}${proof}`;
}
