/** The secret of the server of `varve open`: the first part of its paths, kept in the storage of the browser for links. */
const KEY = "varve secret";

/** Returns the secret in the path of the page, null = the page is not served by `varve open`. */
export function secretOf(path: string): string | null {
  return /^\/([0-9a-f]{32})\//.exec(path)?.[1] ?? null;
}

/** Stores the secret for this address and port. */
export function keepSecret(secret: string): void {
  try {
    localStorage.setItem(KEY, secret);
  } catch {
    // Without storage a link needs the printed address.
  }
}

/** Returns the stored secret, null = absent. */
export function keptSecret(): string | null {
  try {
    return secretOf(`/${localStorage.getItem(KEY) ?? ""}/`);
  } catch {
    return null;
  }
}
