import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

export const tagLinkTool = callingTool(findOperation('tools.utm'), {
  toText: ({ tagged, params }) =>
    [`Tagged: ${tagged}`, ...Object.entries(params).map(([name, value]) => `${name}: ${value}`)].join('\n'),
});
