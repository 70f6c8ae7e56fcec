import { UserError } from '../user-error.ts'
import type { Settings } from './settings.ts'

/** Refuses listeners that other machines reach unencrypted, unless a proxy terminates TLS for them. */
export function checkListeners({ production, behindProxy, listeners, console, only }: Settings): void {
  if (!production || behindProxy) return
  const plain = [
    ...listeners.filter(({ tls }) => tls === undefined).map(({ purpose, host }) => ({ name: purpose, host })),
    ...(only.has('console') ? [{ name: 'console', host: console.host }] : []),
  ].find(({ host }) => !isLoopback(host))
  if (plain)
    throw new UserError(
      `${plain.name}: ${plain.host} listens beyond this machine without TLS: set tls_cert_file and tls_key_file of its listener in --config, or --behind-proxy if a proxy terminates TLS${plain.name === 'console' ? ', or exclude the console with --only' : ''}`,
      2,
    )
}

/** Whether an address is a loopback address, which other machines cannot reach. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
