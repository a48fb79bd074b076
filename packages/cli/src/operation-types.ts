import type { OperationId, OperationTypes } from '@postrider/sdk';
import type { Shown } from './output/json-value.ts';

/** What a call of an operation takes, by where it travels in the HTTP request; what the operation does not take cannot be given. */
export type CallInput<Id extends OperationId> = Part<'params', OperationTypes[Id]['parameters']['path']> &
  Part<'query', OperationTypes[Id]['parameters']['query']> &
  Part<'headers', OperationTypes[Id]['parameters']['header']> &
  Part<'body', BodyOf<OperationTypes[Id]>>;

type Part<Name extends string, Given> = [Given] extends [undefined]
  ? { readonly [Key in Name]?: never }
  : undefined extends Given
    ? { readonly [Key in Name]?: Given }
    : { readonly [Key in Name]: Given };

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? OptionalBody<Body>
    : undefined;

/** Where an operation takes no body, there is nothing to infer one from. */
type OptionalBody<Body> = unknown extends Body ? undefined : Body | undefined;

/** The JSON body of an operation's success, by its names alone: a server of another version may leave any of them out. */
export type ShownOutput<Id extends OperationId> = Shown<OutputOf<OperationTypes[Id]['responses']>>;

type OutputOf<Responses> = Responses[keyof Responses] extends infer Response
  ? Response extends { content: { 'application/json': infer Body } }
    ? Body
    : never
  : never;
