import { OPERATIONS, sendRequestSchema, toInlineSchema } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Components, toComponentSchema } from '../../packages/core/src/json-schema.ts';

const colour = z.enum(['red', 'blue']).meta({ id: 'Colour' });
const thing = z
  .strictObject({ colour: colour.describe('Of the outside.'), inner: colour.optional() })
  .meta({ id: 'Thing' });

describe('a schema with components', () => {
  it('hoists named nouns and refers to them', () => {
    const components: Components = {};
    expect(toComponentSchema(thing, 'input', components)).toEqual({ $ref: '#/components/schemas/Thing' });
    expect(Object.keys(components).sort()).toEqual(['Colour', 'Thing']);
    expect(components['Colour']).toEqual({ type: 'string', enum: ['red', 'blue'] });
    expect(JSON.stringify(components['Thing'])).toContain('#/components/schemas/Colour');
    expect(JSON.stringify(components)).not.toContain('$defs');
  });

  it('is strict about input, and leaves output open', () => {
    const components: Components = {};
    toComponentSchema(thing, 'input', components);
    expect(components['Thing']).toMatchObject({ additionalProperties: false });
    const responses: Components = {};
    toComponentSchema(thing, 'output', responses);
    expect(responses['Thing']).not.toHaveProperty('additionalProperties');
  });

  it('rejects two different schemas with one name', () => {
    const components: Components = {};
    toComponentSchema(colour, 'input', components);
    const other = z.enum(['green']).meta({ id: 'Colour' });
    expect(() => toComponentSchema(other, 'input', components)).toThrow('two different schemas are named Colour');
  });
});

describe('an inline schema', () => {
  it('contains no reference, no definitions and no ids', () => {
    const text = JSON.stringify(toInlineSchema(thing, 'input'));
    expect(text).not.toMatch(/\$ref|\$defs|"id":/);
    expect(toInlineSchema(thing, 'input')).toMatchObject({
      properties: {
        colour: { enum: ['red', 'blue'], description: 'Of the outside.' },
        inner: { enum: ['red', 'blue'] },
      },
      required: ['colour'],
    });
  });

  it('exists for every input and output of every operation', () => {
    for (const operation of OPERATIONS) {
      expect(JSON.stringify(toInlineSchema(operation.output, 'output'))).not.toContain('$ref');
      if ('body' in operation) expect(JSON.stringify(toInlineSchema(operation.body, 'input'))).not.toContain('$ref');
    }
  });

  it('shows limits as a reader of the contract expects them', () => {
    const { properties, required } = toInlineSchema(sendRequestSchema, 'input');
    expect(required).toEqual(['from', 'to']);
    expect(properties).toMatchObject({
      subject: { type: 'string', minLength: 1, maxLength: 998 },
      agent_name: { type: 'string', minLength: 1, maxLength: 128 },
      channel: { enum: ['api', 'sdk', 'mcp', 'smtp'] },
      source: { enum: ['agent', 'backend', 'automation', 'system'] },
      to: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
    });
  });
});
