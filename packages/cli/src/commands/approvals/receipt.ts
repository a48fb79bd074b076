import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { ownFailure } from '../../failure.ts';
import { isRecord, textOf } from '../../output/json-value.ts';
import { singleLine } from '../../output/untrusted-text.ts';

/** Prints the receipt alone, for a file. */
export const definition = defineCommand({
  id: 'approvals receipt',
  about: {
    summary: 'Print the receipt of a decision',
    description:
      'Prints the signed receipt of an approval or a rejection: who decided what and when. Keep it, and verify it with `postrider audit verify-receipt`. A key sees the receipts of its own sends; with the scope approvals:read, those of the whole account.',
    needsKey: true,
    scope: { of: 'approvals.get' },
    examples: ['postrider approvals receipt <id> > receipt.jws'],
    inputs: [{ of: 'approvals.get', only: ['id'] }],
  },
  async run({ values }, connection, output) {
    const { data } = await connection.callCommand('approvals.get', {
      ...{ params: { id: values['id'] }, query: {}, headers: {}, body: undefined },
    });
    const hold = isRecord(data) ? data : {};
    const receipt = textOf(hold['receipt']);
    if (receipt === '') {
      const detail = `the hold is ${textOf(hold['status'])} and has no receipt that you may see`;
      throw ownFailure(
        EXIT_CODES.notFound,
        'not_found',
        'No receipt',
        detail,
        'Only decisions of users and keys have one.',
      );
    }
    // Always the file itself, which is meant for `> receipt.jws`, and never JSON.
    output.writeText(`${singleLine(receipt)}\n`);
    return EXIT_CODES.done;
  },
});
