/**
 * Resolves in the next macrotask: promise chains have come to rest by then, and the host has dealt with what waited.
 * Where there is `setImmediate`, timers have their turn as well; a chain of messages would keep them waiting.
 */
export const nextMacrotask = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof immediate === 'function') {
      immediate(resolve)
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
