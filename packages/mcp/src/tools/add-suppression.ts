import { findOperation, type OperationById, type OperationOutput } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { suppressionRow } from './suppression-text.ts';

type Added = OperationOutput<OperationById<'suppressions.create'>>;

/** One schema for one address or many, because some model providers reject two forms at the root. */
export const addSuppressionTool = callingTool(findOperation('suppressions.create'), {
  output: {
    suppressions: {
      type: 'array',
      items: { type: 'object' },
      description: 'The entries, in the order of the request.',
    },
    added: { type: 'integer', description: 'Number of new entries; absent if one address was passed.' },
    existing: { type: 'integer' },
  },
  toRecord: (response: Added) => ('suppressions' in response ? response : { suppressions: [response] }),
  structuredNotes: [UNTRUSTED_NOTE],
  toText: (record, untrusted) =>
    [
      'added' in record
        ? `${record.added} added, ${record.existing} there before.`
        : 'On the suppression list: nothing more is sent to it.',
      untrusted(record.suppressions.map(suppressionRow).join('\n')),
    ].join('\n'),
});
