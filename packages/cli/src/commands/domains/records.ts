import { defineCommand } from '../../define-command.ts';
import { NAMED_DOMAIN, withDomainId } from '../../domains/named-domain.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { placeValues } from '../../operation-input.ts';
import { textOf } from '../../output/json-value.ts';
import { severalLines } from '../../output/untrusted-text.ts';
import { switchFlag } from '../../own-flag.ts';

export const definition = defineCommand({
  ...NAMED_DOMAIN,
  id: 'domains.records',
  flags: { zone: switchFlag('--zone', 'Print a zone file, which most DNS providers can import.') },
  async run(invocation, connection, output, io) {
    if (invocation.own.zone !== true) return await NAMED_DOMAIN.run(invocation, connection, output, io);
    // Always the file itself, which is meant for `> zone.txt`, and never JSON.
    const { command, values } = await withDomainId(invocation, connection);
    const input = { ...placeValues(command, values), headers: { accept: 'text/plain' } };
    const { data } = await connection.callCommand(command.id, input);
    output.writeText(`${severalLines(textOf(data)).trimEnd()}\n`);
    return EXIT_CODES.done;
  },
});
