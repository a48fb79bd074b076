import { OPERATIONS, type Operation, toInlineSchema } from '@postrider/core';
import type { Handler } from '../context.ts';

/** Every operation under `/tools/`, as the registry describes it. */
export const listTools: Handler<'tools.list'> = async () => {
  const operations: readonly Operation[] = OPERATIONS;
  const tools = operations.flatMap(({ method, path, description, body }) => {
    if (!path.startsWith('/tools/') || body === undefined) return [];
    return [{ name: path.slice('/tools/'.length), method, path, description, input: toInlineSchema(body, 'input') }];
  });
  return { body: { tools } };
};
