import type { Question, Result } from './session.ts'

type Asked = Omit<Question, 'id' | 'rows' | 'schema'>

/** What cannot be answered in this time is given up: the worker begins anew. */
const longestMilliseconds = 20_000

/**
 * Asks a worker, one question at a time: while one is answered, only the latest of the others waits. Rows and schema are
 * sent when they changed, and again to a worker that begins anew.
 */
export class Asking {
  #worker: Worker | undefined
  #id = 0
  #waiting: Asked | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #rows: { text: string; isSent: boolean } = { text: '[]', isSent: false }
  #schema: { text: string; isSent: boolean } = { text: '', isSent: false }
  readonly #answered: (result: Result) => void
  readonly #failed: (message: string) => void

  constructor(answered: (result: Result) => void, failed: (message: string) => void) {
    this.#answered = answered
    this.#failed = failed
  }

  set rows(text: string) {
    this.#rows = { text, isSent: false }
  }

  set schema(text: string) {
    this.#schema = { text, isSent: false }
  }

  ask(asked: Asked): void {
    if (this.#timer === undefined) this.#send(asked)
    else this.#waiting = asked
  }

  close(): void {
    this.#stop()
    this.#waiting = undefined
  }

  #send(asked: Asked): void {
    const rows = this.#rows.isSent ? undefined : this.#rows.text
    const schema = this.#schema.isSent ? undefined : this.#schema.text
    this.#worker ??= this.#start()
    this.#rows.isSent = true
    this.#schema.isSent = true
    this.#id++
    this.#timer = setTimeout(() => {
      this.#stop()
      this.#failed(`This took longer than ${longestMilliseconds / 1000} s and was stopped.`)
      this.#next()
    }, longestMilliseconds)
    this.#worker.postMessage({ ...asked, id: this.#id, rows, schema } satisfies Question)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<Result & { readonly failed?: string }>) => {
      clearTimeout(this.#timer)
      this.#timer = undefined
      if (data.failed === undefined) this.#answered(data)
      else this.#failed(data.failed)
      this.#next()
    }
    worker.onerror = ({ message }) => {
      this.#stop()
      this.#failed(message || 'The worker of this page could not be started.')
    }
    return worker
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#worker?.terminate()
    this.#worker = undefined
    this.#rows.isSent = false
    this.#schema.isSent = false
  }

  #next(): void {
    const asked = this.#waiting
    this.#waiting = undefined
    if (asked !== undefined) this.#send(asked)
  }
}
