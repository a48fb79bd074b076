import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

export const checkServiceTool = callingTool(findOperation('service.readiness'), {
  toText: ({ status, checks }) =>
    [
      status === 'ok' ? 'The server can accept and deliver.' : 'The server cannot accept or deliver at the moment.',
      ...Object.entries(checks).map(
        ([name, check]) => `- ${name}: ${check.status}${check.reason === null ? '' : `, ${check.reason}`}`,
      ),
    ].join('\n'),
});
