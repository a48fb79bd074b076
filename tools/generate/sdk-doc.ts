import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { OPERATIONS } from '@postrider/core';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';
import { type Call, toCamelCase } from './sdk-calls.ts';

const EXAMPLES = 'test/sdk/examples';

/** docs/sdk.md: the client, with examples that the tests compile and run, and every method. */
export async function renderSdkDoc(root: string, resources: ReadonlyMap<string, readonly Call[]>): Promise<string> {
  const example = async (name: string) =>
    `\`\`\`ts\n${await readFile(path.join(root, EXAMPLES, `${name}.ts`), 'utf8')}\`\`\``;
  const { engines } = JSON.parse(await readFile(path.join(root, 'packages/sdk/package.json'), 'utf8'));
  const oldestNode = String(engines.node).replace('>=', '');
  return `${MARKDOWN_NOTICE}

# The TypeScript client

\`@postrider/sdk\` is one class, \`Postrider\`, with a method for every operation of the API. It runs on Node ${oldestNode} or later with undici, its only dependency, and
on every other platform with \`fetch\`. Import conditions select one of them. Pass a \`transport\` to replace it. Importing it has no side effects, so
a bundle contains only what you use, and undici is loaded with the first request.

${await example('send')}

\`new Postrider({apiKey, baseUrl?, timeoutMs?, maxRetries?, maxRetryAfterMs?, transport?})\`: \`baseUrl\` is \`http://127.0.0.1:8025\` by default, one attempt may take 30 s,
and a failed call is retried twice. Every call accepts \`{idempotencyKey?, signal?, timeoutMs?, maxRetries?, headers?}\` as its last argument.

\`timeoutMs\` is the time that one attempt may take, in milliseconds. A read with \`wait\` may take that long plus the seconds of \`wait\`, so
\`wait\` needs no longer \`timeoutMs\`. With retries, a call can take several times as long: pass a \`signal\` to limit it as a whole.

## Several emails

${await example('batch')}

## Retries

Reads, and writes with an idempotency key, are retried after a lost connection, a timeout, 429, 500, 502, 503 and 504. The client waits for the time in
\`retry-after\`, up to 60 s (\`maxRetryAfterMs\`). Without that header, it waits for a random part of 0.5 s, doubled each time up to 8 s. A send without an idempotency key gets one. Other
writes are retried only after a rate limit, which refuses them before they run.

## Errors

A call rejects with a \`PostriderError\`: \`code\` (those of [errors.md](errors.md), and \`connection_failed\`, \`timeout\` and \`unexpected_answer\`),
\`status\`, \`detail\`, \`fix\`, \`retryable\`, \`requestId\`, \`errors\`, \`recipients\`, \`retryAfterMs\`, \`rateLimit\` and \`idempotencyKey\`. A call that you abort
rejects with the reason of its signal.

${await example('errors')}

## Lists

Await a list to get its first page: \`data\`, \`total\`, \`totalIsEstimate\`, \`nextCursor\`, \`nextPage()\`, \`requestId\` and \`rateLimit\`. Iterate over it to get every
item of every page. The items are always in \`data\`. The API and \`postrider … --json\` name them after the resource, for example
\`messages\` in \`GET /emails\` and \`keys\` in \`GET /keys\`.

${await example('lists')}

## Files

Await an export to get a \`Download\` with \`fileName\`, \`contentType\`, \`isTruncated\`, \`text()\` and
\`lines()\`, an iterator. Iterate over the \`Download\` itself to get its bytes as they arrive.

${await example('exports')}

## Response metadata

\`withResponse()\` of a call returns its \`data\` with \`status\`, \`headers\`, \`requestId\` and \`rateLimit\` (\`{limit, windowSeconds, remaining, resetSeconds}\`, null
if the response has none).

${await example('responses')}

## Webhooks

\`verifyWebhook(body, headers, secret)\` returns the typed event or throws: see [webhooks.md](webhooks.md).

## Every method

\`request({method, path, query?, body?})\` calls operations that have no method yet.

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
  return `### \`${name}\`\n\n${renderTable([`\`postrider.${name}.\`…`, 'does', 'returns', 'request'], rows)}`;
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
