import { STATUS_CODES } from 'node:http';
import { ERRORS, type ErrorDefinition } from '@postrider/core';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** docs/errors.md: the error catalog, one table per HTTP status. */
export function renderErrorsDoc(): string {
  const entries: readonly (readonly [string, ErrorDefinition])[] = Object.entries(ERRORS);
  const byStatus = [...Map.groupBy(entries, ([, { status }]) => status)].sort(([a], [b]) => a - b);
  const sections = byStatus.map(
    ([status, errors]) => `## ${status} ${STATUS_CODES[status] ?? ''}\n\n${renderErrors(errors)}`,
  );
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

const INTRODUCTION = `${MARKDOWN_NOTICE}

# Errors

Every error has the same body in responses, in batch items and in MCP results: RFC 9457 problem details
(\`application/problem+json\`) with \`code\`, \`detail\` (what is wrong), \`fix\` (what to do next), \`retryable\` (whether
the same request can succeed later without a change) and \`requestId\`. \`errors\` lists the
fields with problems, and \`recipients\` the recipients that caused a refusal. Codes are stable; their wording is not.`;

function renderErrors(errors: readonly (readonly [string, ErrorDefinition])[]): string {
  return renderTable(
    ['code', 'meaning', 'what to do', 'retryable'],
    errors.map(([code, { title, description, fix, retryable }]) => [
      `\`${code}\``,
      `**${title}.** ${description}`,
      fix,
      retryable ? 'yes' : 'no',
    ]),
  );
}
