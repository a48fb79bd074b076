import { findOperation, type OperationById, type OperationOutput } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { section } from './message-text.ts';

export const checkSpfTool = checkTool(findOperation('tools.spf'));
export const checkDkimTool = checkTool(findOperation('tools.dkim'));
export const checkDmarcTool = checkTool(findOperation('tools.dmarc'));
export const checkMxTool = checkTool(findOperation('tools.mx'));
export const checkBlocklistTool = checkTool(findOperation('tools.blocklist'));
export const checkInboxPlacementTool = checkTool(findOperation('tools.inbox-placement'));

type CheckOperation = OperationById<
  'tools.spf' | 'tools.dkim' | 'tools.dmarc' | 'tools.mx' | 'tools.blocklist' | 'tools.inbox-placement'
>;
type Check = OperationOutput<CheckOperation>;

/** A tool that runs one of the free checks. Findings quote third-party text, so all of them are fenced. */
function checkTool(operation: CheckOperation): ToolMaker {
  return callingTool(operation, { structuredNotes: [UNTRUSTED_NOTE], toText: describeCheck });
}

function describeCheck({ check, target, status, findings, records }: Check, untrusted: (text: string) => string) {
  return [
    `${check}: ${status}`,
    untrusted(
      [
        `Target: ${target}`,
        ...section('Findings', findings.map(findingRow)),
        ...section('Records', records.map(recordRow)),
      ].join('\n'),
    ),
  ].join('\n');
}

function findingRow({ level, code, message, fix }: Check['findings'][number]): string {
  return `${level} ${code}: ${message}${level === 'pass' ? '' : ` Fix: ${fix}`}`;
}

/** Each check reads its own kind of records; all their fields are short. */
function recordRow(record: Check['records'][number]): string {
  return Object.entries(record)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : value}`)
    .join(' | ');
}
