import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export const getOpenApiJson = defineOperation({
  id: 'service.openapi-json',
  method: 'GET',
  path: '/openapi.json',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'OpenAPI document as JSON',
  description: 'This API as an OpenAPI 3.1 document.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z.record(z.string(), z.unknown()),
  errors: [],
  mcp: null,
  cli: null,
});

export const getOpenApiYaml = defineOperation({
  id: 'service.openapi-yaml',
  method: 'GET',
  path: '/openapi.yaml',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'OpenAPI document as YAML',
  description: 'The same document as `/openapi.json`.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'text',
  contentType: 'application/yaml; charset=utf-8',
  output: z.string(),
  errors: [],
  mcp: null,
  cli: null,
});
