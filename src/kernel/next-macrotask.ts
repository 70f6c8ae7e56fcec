import { systemTimers } from './system-env.ts'

/**
 * Resolves in the next macrotask, after all pending promise chains and host callbacks. With `setImmediate`, timers run
 * as well; a chain of messages would starve them.
 */
export const nextMacrotask = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof immediate === 'function') {
      immediate(resolve)
      return
    }
    if (typeof MessageChannel !== 'function') {
      systemTimers.after(0, resolve)
      return
    }
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })

const immediate: unknown = Reflect.get(globalThis, 'setImmediate')
