import { type PageResult, redirect } from '../../console-page.ts';
import { withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { deliveryPage } from './delivery-page.ts';
import { endpointPage } from './endpoint-page.ts';
import { endpointPath, WEBHOOKS_PATH } from './paths.ts';
import { secretPage } from './secret-page.ts';

export async function setStatus(request: PageRequest): Promise<PageResult> {
  const params = paramsOf(request);
  const status = request.form.get('status') === 'enabled' ? 'enabled' : 'disabled';
  const result = await request.attempt('webhooks.update', { params, body: { status } });
  return result.ok
    ? redirect(endpointPath(params), `The endpoint is ${status}.`)
    : await endpointPage(request, result.problem);
}

/** The deliveries of the test event show what the endpoint responds with. */
export async function testEndpoint(request: PageRequest): Promise<PageResult> {
  const params = paramsOf(request);
  const result = await request.attempt('webhooks.test', { params });
  if (!result.ok) return await endpointPage(request, result.problem);
  const address = withQuery(`${endpointPath(params)}/deliveries`, { event_id: result.body.eventId });
  return redirect(address, 'A test event was queued. Its deliveries appear below.');
}

export async function rotateSecret(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('webhooks.rotate', { params: paramsOf(request) });
  return result.ok
    ? secretPage(result.body, 'The endpoint has a new secret')
    : await endpointPage(request, result.problem);
}

export async function deleteEndpoint(request: PageRequest): Promise<PageResult> {
  const { url } = await request.call('webhooks.delete', { params: paramsOf(request) });
  return redirect(WEBHOOKS_PATH, `The endpoint ${url} was deleted.`);
}

export async function retryDelivery(request: PageRequest): Promise<PageResult> {
  const params = { ...paramsOf(request), deliveryId: request.param('deliveryId') };
  const { eventId } = await request.call('webhooks.delivery', { params });
  const result = await request.attempt('webhooks.retry', { params });
  if (!result.ok) return await deliveryPage(request, result.problem);
  const address = withQuery(`${endpointPath(params)}/deliveries`, { event_id: eventId });
  return redirect(address, 'The event is delivered again now. The new attempt appears below.');
}

function paramsOf(request: PageRequest): { readonly id: string } {
  return { id: request.param('id') };
}
