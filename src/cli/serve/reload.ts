import { checkListeners } from './check-listeners.ts'
import type { Log } from './log.ts'
import type { Settings } from './settings.ts'

/**
 * Reads the configuration again and applies it: certificates, limits and headers of listeners, the grace period. An
 * invalid one changes nothing.
 */
export async function reload(
  read: () => Promise<Settings>,
  follow: (next: Settings) => readonly string[],
  log: Log,
): Promise<void> {
  try {
    const next = await read()
    checkListeners(next)
    for (const left of follow(next)) log.warn(left)
    log.info('the configuration was reloaded')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.error(`the configuration could not be reloaded, and the old one stays in effect: ${reason}`)
  }
}

/**
 * Handles SIGHUP from now on, which would otherwise end the process. An early one is kept until `follow` is called.
 */
export function reloadSignal(): { readonly follow: (work: () => void) => void } {
  let cameEarly = false
  let arrived = () => {
    cameEarly = true
  }
  process.on('SIGHUP', () => arrived())
  return {
    follow: (work) => {
      arrived = work
      if (cameEarly) work()
    },
  }
}
