import { askForPasskey, canUsePasskeys, faultOf, toJson } from './passkey-credential.ts';

/**
 * The script of the sign-in page and of the page with the user's passkeys. Without it, or in a browser without passkeys, what it shows stays
 * hidden.
 */
const signInBox = document.getElementById('passkey-sign-in');
if (signInBox !== null && canUsePasskeys(signInBox.dataset['host'])) {
  signInBox.hidden = false;
  signInBox.querySelector('button')?.addEventListener('click', () => attempt(signInBox, signIn));
}

const addBox = document.getElementById('passkey-add');
if (addBox !== null && canUsePasskeys(addBox.dataset['host'])) {
  show(addBox);
  addBox.querySelector('form')?.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(addBox, add);
  });
}

const mailBox = document.getElementById('passkey-mail');
if (mailBox !== null && canUsePasskeys(mailBox.dataset['host'])) show(mailBox);

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-passkey]')) {
  button.hidden = false;
  button.addEventListener('click', () => attempt(button.parentElement ?? document.body, () => remove(button)));
}

/** Shows what works here, in place of the words that it does not. */
function show(box: HTMLElement): void {
  box.hidden = false;
  const unable = document.getElementById('passkey-unable');
  if (unable !== null) unable.hidden = true;
}

async function signIn(box: HTMLElement): Promise<void> {
  const options = await send('/auth/passkeys/sign-in/options', {});
  await send('/auth/passkeys/sign-in', { credential: await askForPasskey(options) });
  // The server has checked that this is a path of its own.
  location.assign(box.dataset['next'] ?? '/auth/sign-in');
}

async function add(box: HTMLElement): Promise<void> {
  const name = box.querySelector('input')?.value.trim() ?? '';
  const confirmation = await confirmed(box.dataset['confirms'], { change: 'add' });
  // Of the page that a mailed link opens.
  const { link } = box.dataset;
  const proof = link === undefined ? {} : { link };
  const options = await send('/auth/passkeys/register/options', { ...confirmation, ...proof });
  // The server makes the options in the form that browsers define.
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const credential = await navigator.credentials.create({ publicKey });
  await send('/auth/passkeys/register', { name, credential: toJson(credential), ...proof });
  // The link is used up.
  location.assign('/auth/passkeys');
}

async function remove({ dataset }: HTMLButtonElement): Promise<void> {
  const id = dataset['passkey'] ?? '';
  const confirmation = await confirmed(dataset['confirms'], { change: 'remove', id });
  await send('/auth/passkeys/remove', { id, ...confirmation });
  location.reload();
}

/** A change that a passkey of the user has to confirm, with its signature; nothing for one that needs none. */
async function confirmed(isNeeded: string | undefined, change: object): Promise<object> {
  if (isNeeded === undefined) return {};
  const options = await send('/auth/passkeys/confirm/options', change);
  return { confirmation: await askForPasskey(options) };
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

/**
 * Calls the server and returns the response body.
 * @throws Error with the detail of the problem that the server returned
 */
async function send(path: string, body: object): Promise<unknown> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const received: unknown = await response.json();
  if (response.ok) return received;
  const detail = typeof received === 'object' && received !== null && 'detail' in received ? received.detail : null;
  throw new Error(typeof detail === 'string' ? detail : 'This did not work. Try again.');
}
