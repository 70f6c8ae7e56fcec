import type { Scheduler } from '../../../src/scheduler/index.ts'

/** One line of a stream. */
export interface Line {
  readonly Index?: number
  readonly Events?: readonly {
    readonly Topic: string
    readonly Type: string
    readonly Key: string
    readonly Namespace: string
    readonly Index: number
    readonly Payload: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }[]
  readonly Lost?: { readonly From: number; readonly To: number }
}

/** A stream of events that is being read. */
export interface Reading {
  readonly status: number
  readonly type: string | null
  /** The next line; undefined at the end. */
  readonly line: () => Promise<Line | undefined>
  /** The next line, of a stream that must not be at its end. */
  readonly next: () => Promise<Line>
  /** The types of the events of the next line. */
  readonly types: () => Promise<readonly string[] | undefined>
  readonly cancel: () => Promise<void>
}

/** Opens the stream of a scheduler. */
export async function reading(
  scheduler: Pick<Scheduler, 'fetch'>,
  query = '',
  init: RequestInit = {},
): Promise<Reading> {
  const response = await scheduler.fetch(new Request(`http://service.test/v1/event/stream${query}`, init))
  const reader = response.body?.getReader()
  const utf8 = new TextDecoder()
  let text = ''
  const line = async () => {
    for (;;) {
      const end = text.indexOf('\n')
      if (end >= 0) {
        const found: Line = JSON.parse(text.slice(0, end))
        text = text.slice(end + 1)
        return found
      }
      const chunk = await reader?.read()
      if (chunk === undefined || chunk.done) return undefined
      text += utf8.decode(chunk.value, { stream: true })
    }
  }
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    line,
    next: async () => {
      const found = await line()
      if (found === undefined) throw new Error('the stream has ended')
      return found
    },
    types: async () => (await line())?.Events?.map(({ Type }) => Type),
    cancel: async () => reader?.cancel(),
  }
}
