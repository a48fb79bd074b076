import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { OPERATIONS } from '@postrider/core';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';
import { type Call, toCamelCase } from './sdk-calls.ts';

const EXAMPLES = 'test/sdk/examples';

/** docs/sdk.md: how the client is used, by examples that the tests compile and run, and every method. */
export async function renderSdkDoc(root: string, resources: ReadonlyMap<string, readonly Call[]>): Promise<string> {
  const example = async (name: string) =>
    `\`\`\`ts\n${await readFile(path.join(root, EXAMPLES, `${name}.ts`), 'utf8')}\`\`\``;
  return `${MARKDOWN_NOTICE}

# The TypeScript client

\`@postrider/sdk\` is one class, \`Postrider\`, with a method for every operation of the API. It runs on Node with undici, its one dependency, and
wherever else there is \`fetch\`: the package takes the platform's there by the condition of its imports, and a \`transport\` of your own takes the place
of either. It has no side effects on import: a bundle holds what is used of it, and undici comes with the first request.

${await example('send')}

\`new Postrider({apiKey, baseUrl?, timeoutMs?, maxRetries?, maxRetryAfterMs?, transport?})\`: \`baseUrl\` is \`http://127.0.0.1:8025\` unless given, one attempt may take 30 s,
and two more are made. Every call takes \`{idempotencyKey?, signal?, timeoutMs?, maxRetries?, headers?}\` as its last argument.

## Retries

Reads, and writes with an idempotency key, are repeated after a lost connection, a time-out, 429, 500, 502, 503 and 504: after the time that
\`retry-after\` asks for, up to 60 s (\`maxRetryAfterMs\`), else after a random part of 0.5 s, doubled each time up to 8 s. Sends get a key of their own where you give none. Other
writes are repeated only where a rate limit refused them unread.

## Errors

A call rejects with a \`PostriderError\`: \`code\` (those of [errors.md](errors.md), and \`connection_failed\`, \`timeout\` and \`unexpected_answer\`),
\`status\`, \`detail\`, \`fix\`, \`retryable\`, \`requestId\`, \`errors\`, \`recipients\`, \`retryAfterMs\`, \`rateLimit\` and \`idempotencyKey\`. A call that you abort
rejects with the reason of its signal.

${await example('errors')}

## Lists

A list awaited is its first page: \`data\`, \`total\`, \`totalIsEstimate\`, \`nextCursor\`, \`nextPage()\`, \`requestId\` and \`rateLimit\`. Iterated it is every
item of every page.

${await example('lists')}

## Files

An export awaited is a \`Download\` with \`fileName\`, \`contentType\`, \`isTruncated\`, \`text()\` and
\`lines()\`, an iterator; iterated itself it is its bytes as they come.

${await example('exports')}

## What comes with an answer

\`withAnswer()\` of a call is its \`data\` with \`status\`, \`headers\`, \`requestId\` and \`rateLimit\` (\`{limit, windowSeconds, remaining, resetSeconds}\`, null
where the answer does not say).

${await example('answers')}

## Webhooks

\`verifyWebhook(body, headers, secret)\` answers the typed event or throws: see [webhooks.md](webhooks.md).

## Every method

\`request({method, path, query?, body?})\` reaches whatever has no method yet.

${[...resources].map(([resource, calls]) => renderMethods(resource, calls)).join('\n\n')}
`;
}

function renderMethods(resource: string, calls: readonly Call[]): string {
  const rows = calls.map((call) => [
    `\`${signatureOf(call)}\``,
    call.summary,
    `\`${answerOf(call)}\``,
    requestOf(call),
  ]);
  const name = toCamelCase(resource);
  return `### \`${name}\`\n\n${renderTable([`\`postrider.${name}.\`…`, 'does', 'answers', 'request'], rows)}`;
}

function signatureOf({ method, params, body, query }: Call): string {
  const given = [...params.map(({ name }) => name), ...(body === null ? [] : ['body'])];
  return `${method}(${[...given, ...(query === null ? [] : [query.required ? 'query' : 'query?']), 'options?'].join(', ')})`;
}

function answerOf({ page, output, alternatives }: Call): string {
  if (page !== null) return `Page<${page.item.name}>`;
  const types = [output, ...alternatives.map((alternative) => alternative.output)];
  return types.map((type) => (type.kind === 'alias' ? 'object' : type.name.replace('Promise', ''))).join(' | ');
}

function requestOf({ id }: Call): string {
  const operation = OPERATIONS.find((one) => one.id === id);
  return operation === undefined ? '' : `\`${operation.method} ${operation.path}\``;
}
