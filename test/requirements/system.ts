import { requirement, section } from './requirement.ts';

export const health = section('Health', [
  requirement('health.liveness', '`GET /health`: liveness. Bodies: not specified.'),
  requirement('health.liveness-fields', '`/health` 200 `{status,version}`.'),
  requirement('health.readiness', '`GET /health/ready`: readiness. Bodies: not specified.'),
  requirement(
    'health.readiness-fields',
    '`/health/ready` 200 or 503 `{status,checks:{database,queue,transport}}` with reasons.',
  ),
]);

export const mcp = section('MCP', [
  requirement('mcp.endpoint', '`POST /mcp`: MCP server: a streamable JSON-RPC 2.0 endpoint.'),
  requirement('mcp.key', '`POST /mcp`: authenticated by API key.'),
  requirement('mcp.bodies', 'Request and response bodies: not specified.'),
]);
