import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

export const listChecksTool = callingTool(findOperation('tools.list'), {
  // Their arguments are in the list of tools.
  toRecord: ({ tools }) => ({ tools: tools.map(({ input: _input, ...tool }) => tool) }),
  toText: ({ tools }) =>
    tools.map(({ name, method, path, description }) => `- ${name} (${method} ${path}): ${description}`).join('\n'),
});
