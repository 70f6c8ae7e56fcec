/** The maximum number of buffered bytes; beyond it the writer waits. */
const mostWaiting = 1024 * 1024

/** Passes bytes from a writer to a reader with back-pressure. */
export interface ByteChannel {
  /** Writes bytes for the reader; resolves immediately if the reader is closed. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Called after the last bytes. */
  readonly end: () => void
  /** Called when the reader is closed. */
  readonly stop: () => void
  readonly isStopped: () => boolean
  readonly read: () => AsyncGenerator<Uint8Array, void>
}

export function byteChannel(): ByteChannel {
  const queue: Uint8Array[] = []
  let waiting = 0
  let isEnded = false
  let isStopped = false
  let wakeWriter = () => {}
  let wakeReader = () => {}
  return {
    write: async (bytes) => {
      if (isStopped) return
      // A copy, which `slice` of a Buffer is not: the producer may reuse the memory.
      queue.push(new Uint8Array(bytes))
      waiting += bytes.length
      wakeReader()
      while (waiting > mostWaiting && !isStopped)
        await new Promise<void>((resolve) => {
          wakeWriter = resolve
        })
    },
    end: () => {
      isEnded = true
      wakeReader()
    },
    stop: () => {
      isStopped = true
      queue.length = 0
      wakeWriter()
    },
    isStopped: () => isStopped,
    read: async function* () {
      for (;;) {
        const next = queue.shift()
        if (next) {
          waiting -= next.length
          wakeWriter()
          yield next
        } else if (isEnded || isStopped) return
        else
          await new Promise<void>((resolve) => {
            wakeReader = resolve
          })
      }
    },
  }
}
