/**
 * Resolves in the next macrotask: promise chains have come to rest by then, and the host has dealt with what waited. A
 * message is delivered only once no microtask is left.
 */
export const nextMacrotask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
