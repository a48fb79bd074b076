import { renderAgentGuide } from '@postrider/mcp';
import { MARKDOWN_NOTICE } from './markdown.ts';

/** docs/agents.md: what `/llms.txt` of a server says, for those who read the repository. */
export function renderAgentsDoc(): string {
  return `${MARKDOWN_NOTICE}\n\n${renderAgentGuide({ baseUrl: 'http://127.0.0.1:8025' })}`;
}
