/** The stored form of a secret: its SHA-256, in hex. */
export async function hashSecret(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The syntax of a runner's own node secret. */
export const isSecret = (text: string): boolean => /^[\x21-\x7e]{20,256}$/.test(text)
