import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { type RotationReport, rotateSecrets } from '../keys/rotate-secrets.ts';
import { addKeyToFile } from '../keys/secret-key.ts';
import { answer, type OperatorTools, withDatabase } from './operator-commands.ts';
import { EXIT, ExitRequest, StartError } from './start-error.ts';

/** The operator's side of the secrets at rest. */
export function addSecretsCommands(program: Command, tools: OperatorTools): void {
  program
    .command('secrets')
    .description('seal the secrets at rest with a new key')
    .command('rotate')
    .description(
      'seal every secret at rest with a new key: the one in POSTRIDER_SECRET_KEY, with the former in POSTRIDER_SECRET_KEY_PREVIOUS, or without these a new one in the data directory; a rotation that was cut off goes on',
    )
    .option('--json', 'answer JSON')
    .action(async (options: { json?: boolean }) => {
      const config = tools.readConfig();
      if (config.hasSecretKeySetting) assertFormerKey(config);
      const makeKey = config.hasSecretKeySetting ? null : () => addKeyToFile(config.dataDir);
      const report = await withDatabase(tools, ({ sql }) => rotateSecrets(sql, config, makeKey));
      const rotated = report.unreadable.length === 0;
      answer(tools, options, { rotated, ...report }, toText(report));
      if (!rotated) throw new ExitRequest(EXIT.failed);
    });
}

function assertFormerKey({ formerSecretKeys }: Config): void {
  if (formerSecretKeys().length > 0) return;
  throw new StartError(
    'There is no former key: POSTRIDER_SECRET_KEY_PREVIOUS is not set.',
    'Make a new key with `openssl rand -base64 32`, set it as POSTRIDER_SECRET_KEY and the key until now as POSTRIDER_SECRET_KEY_PREVIOUS, start every server anew with both, and run this again.',
  );
}

function toText({ newKey, resealed, unreadable }: RotationReport): string {
  const { dkimKeys, webhookSecrets, installationMail } = resealed;
  const done = `${dkimKeys} DKIM keys, ${webhookSecrets} webhook secrets and ${installationMail} mails of the installation were sealed again.`;
  if (unreadable.length > 0) {
    const lines = unreadable.map(({ kind, accountId, id }) => `unreadable  ${kind}  ${id} of account ${accountId}`);
    return [
      ...lines,
      '',
      `${done} No key opens what is named above: add its key to POSTRIDER_SECRET_KEY_PREVIOUS.`,
    ].join('\n');
  }
  if (newKey) return `There is a new key, and ${done}`;
  const isNothing = dkimKeys + webhookSecrets + installationMail === 0;
  return isNothing
    ? 'Everything is sealed with the present key already.'
    : `${done} Nothing is left under a former key.`;
}
