import { active, section } from './requirement.ts';

export const health = section('Health', [
  active('health.liveness', '`GET /health`: liveness. Bodies: not shown.'),
  active('health.liveness-fields', '`/health` 200 `{status,version}`.'),
  active('health.readiness', '`GET /health/ready`: readiness. Bodies: not shown.'),
  active(
    'health.readiness-fields',
    '`/health/ready` 200 or 503 `{status,checks:{database,queue,transport}}` with reasons.',
  ),
]);

export const mcp = section('MCP', [
  active('mcp.endpoint', '`POST /mcp`: MCP server: a streamable JSON-RPC 2.0 endpoint.'),
  active('mcp.key', '`POST /mcp`: authenticated by API key.'),
  active('mcp.bodies', 'Request and response bodies: not shown.'),
]);
