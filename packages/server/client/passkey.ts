/**
 * The script of the sign-in page and of the page with the user's passkeys. Without it, or in a browser without passkeys, what it shows stays
 * hidden.
 */
const signInBox = document.getElementById('passkey-sign-in');
if (signInBox !== null && canUsePasskeys(signInBox)) {
  signInBox.hidden = false;
  signInBox.querySelector('button')?.addEventListener('click', () => attempt(signInBox, signIn));
}

const addBox = document.getElementById('passkey-add');
if (addBox !== null && canUsePasskeys(addBox)) {
  addBox.hidden = false;
  const unable = document.getElementById('passkey-unable');
  if (unable !== null) unable.hidden = true;
  addBox.querySelector('form')?.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(addBox, add);
  });
}

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-passkey]')) {
  button.hidden = false;
  button.addEventListener('click', () => attempt(button.parentElement ?? document.body, () => remove(button)));
}

/** Whether the browser has passkeys and shows the page under the name that they are bound to. */
function canUsePasskeys(box: HTMLElement): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    'parseCreationOptionsFromJSON' in PublicKeyCredential &&
    location.hostname === box.dataset['host']
  );
}

async function signIn(box: HTMLElement): Promise<void> {
  const options = await send('POST', '/auth/passkeys/sign-in/options', {});
  // The server makes the options of both calls in the form that browsers define.
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = await navigator.credentials.get({ publicKey });
  await send('POST', '/auth/passkeys/sign-in', { credential: toJson(credential) });
  // The server has checked that this is a path of its own.
  location.assign(box.dataset['next'] ?? '/auth/sign-in');
}

async function add(box: HTMLElement): Promise<void> {
  const name = box.querySelector('input')?.value.trim() ?? '';
  const options = await send('POST', '/auth/passkeys/register/options', {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const credential = await navigator.credentials.create({ publicKey });
  await send('POST', '/auth/passkeys/register', { name, credential: toJson(credential) });
  location.reload();
}

async function remove({ dataset }: HTMLButtonElement): Promise<void> {
  await send('DELETE', `/passkeys/${encodeURIComponent(dataset['passkey'] ?? '')}`);
  location.reload();
}

/** Runs an action of a box, with its buttons disabled, and shows in it why it failed. */
async function attempt(box: HTMLElement, action: (box: HTMLElement) => Promise<void>): Promise<void> {
  const buttons = [...box.querySelectorAll('button')];
  const fault = box.querySelector<HTMLElement>('.fault');
  if (fault !== null) fault.hidden = true;
  for (const button of buttons) button.disabled = true;
  try {
    await action(box);
  } catch (error) {
    if (fault === null) return;
    fault.textContent = faultOf(error);
    fault.hidden = false;
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'This did not work. Try again.';
  switch (error.name) {
    case 'NotAllowedError':
      return 'No passkey was used. Try again, or use another way.';
    case 'InvalidStateError':
      return 'This device or password manager already has a passkey for you here.';
    case 'SecurityError':
      return 'Passkeys do not work at this address of the server.';
    case 'TypeError':
      return 'The server does not respond. Try again.';
    default:
      return error.message;
  }
}

function toJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.');
  return credential.toJSON();
}

/**
 * Calls the server and returns the response body.
 * @throws Error with the detail of the problem that the server returned
 */
async function send(method: 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  const response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const received: unknown = await response.json();
  if (response.ok) return received;
  const detail = typeof received === 'object' && received !== null && 'detail' in received ? received.detail : null;
  throw new Error(typeof detail === 'string' ? detail : 'This did not work. Try again.');
}
