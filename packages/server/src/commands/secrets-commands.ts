import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { type RotationReport, rotateSecrets } from '../keys/rotate-secrets.ts';
import { addKeyToFile } from '../keys/secret-key.ts';
import { type OperatorTools, response, withDatabase } from './operator-commands.ts';
import { EXIT, ExitRequest, StartError } from './start-error.ts';

/** The operator's commands for secrets at rest. */
export function addSecretsCommands(program: Command, tools: OperatorTools): void {
  program
    .command('secrets')
    .description('encrypt the secrets at rest with a new key')
    .command('rotate')
    .description(
      'encrypt every secret at rest with a new key: with the one in POSTRIDER_SECRET_KEY if POSTRIDER_SECRET_KEY_PREVIOUS has the former key, or else with a generated key in the data directory; continues an interrupted rotation',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const config = tools.readConfig();
      if (config.hasSecretKeySetting) assertFormerKey(config);
      const makeKey = config.hasSecretKeySetting ? null : () => addKeyToFile(config.dataDir);
      const report = await withDatabase(tools, ({ sql }) => rotateSecrets(sql, config, makeKey));
      const rotated = report.unreadable.length === 0;
      response(tools, options, { rotated, ...report }, toText(report));
      if (!rotated) throw new ExitRequest(EXIT.failed);
    });
}

function assertFormerKey({ formerSecretKeys }: Config): void {
  if (formerSecretKeys().length > 0) return;
  throw new StartError(
    'POSTRIDER_SECRET_KEY_PREVIOUS is not set, so there is no former key.',
    'Create a new key with `openssl rand -base64 32`. Set it as POSTRIDER_SECRET_KEY and the current key as POSTRIDER_SECRET_KEY_PREVIOUS, restart every server with both, and run this again.',
  );
}

function toText({ newKey, resealed, unreadable }: RotationReport): string {
  const { dkimKeys, webhookSecrets, installationMail, receiptKeys } = resealed;
  const done = `Encrypted ${dkimKeys} DKIM keys, ${webhookSecrets} webhook secrets, ${installationMail} installation mails and ${receiptKeys} receipt keys with the current key.`;
  if (unreadable.length > 0) {
    const lines = unreadable.map(({ kind, accountId, id }) => `unreadable  ${kind}  ${id} of account ${accountId}`);
    return [
      ...lines,
      '',
      `${done} No key decrypts the secrets listed above: add their key to POSTRIDER_SECRET_KEY_PREVIOUS.`,
    ].join('\n');
  }
  if (newKey) return `There is a new key. ${done}`;
  const isNothing = dkimKeys + webhookSecrets + installationMail + receiptKeys === 0;
  return isNothing
    ? 'All secrets are already encrypted with the current key.'
    : `${done} No secrets use a former key any more.`;
}
