import { renderAgentGuide } from '@postrider/mcp';
import { MARKDOWN_NOTICE } from './markdown.ts';

/** docs/agents.md: the same text as a server's `/llms.txt`. */
export function renderAgentsDoc(): string {
  return `${MARKDOWN_NOTICE}\n\n${renderAgentGuide({ baseUrl: 'http://127.0.0.1:8025' })}`;
}
