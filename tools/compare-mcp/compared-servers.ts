import { join } from 'node:path';

/** A stdio server and what it needs to start without an account. */
export interface ComparedServer {
  readonly name: string;
  /** The program for Node, with its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Port 9 refuses connections on most machines. Without an API the key's scopes are unknown, so the server lists all tools. */
const NOWHERE = 'http://127.0.0.1:9';
const OURS = { POSTRIDER_API_KEY: 'pr_live_placeholder', POSTRIDER_BASE_URL: NOWHERE };

/** Our stdio program from source, with the default tools and with every toolset. */
export function ownServers(root: string, toolsets: readonly string[]): readonly ComparedServer[] {
  const program = join(root, 'packages/mcp/src/stdio.ts');
  return [
    { name: 'postrider-mcp', program, args: [], env: OURS },
    { name: 'postrider-mcp, every toolset', program, args: ['--toolsets', toolsets.join(',')], env: OURS },
  ];
}

/** Other servers, by package name. The keys are placeholders in the format each requires. */
export const OTHER_PACKAGES: readonly Omit<ComparedServer, 'program'>[] = [
  { name: 'resend-mcp', args: [], env: { RESEND_API_KEY: 're_placeholder' } },
  {
    name: '@activecampaign/postmark-mcp',
    args: [],
    env: {
      POSTMARK_SERVER_TOKEN: 'placeholder',
      DEFAULT_SENDER_EMAIL: 'app@example.com',
      DEFAULT_MESSAGE_STREAM: 'outbound',
      // Otherwise it validates the token with the service before it starts.
      POSTMARK_SKIP_VERIFY: 'true',
    },
  },
  { name: 'agentmail-mcp', args: [], env: { AGENTMAIL_API_KEY: 'placeholder' } },
];
