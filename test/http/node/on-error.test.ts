import { afterEach, describe, expect, it } from 'vitest'
import { type FetchHandler, type Listening, serve } from '../../../src/http/node/index.ts'

const open: Listening[] = []
afterEach(async () => {
  for (const listening of open.splice(0)) await listening.close({ drainMs: 100 })
})

/** Serves a handler, and keeps what is heard of it. */
const heardOf = async (fetch: FetchHandler) => {
  const heard: unknown[] = []
  const listening = await serve({ fetch, onError: (error) => heard.push(error) })
  open.push(listening)
  return { url: listening.url, heard }
}

const mistake = new Error('a mistake of the handler')
const later = () => new Promise((resolve) => setTimeout(resolve, 50))

describe('onError of a listener is called', () => {
  it('what it throws, while the client learns nothing of it', async () => {
    const { url, heard } = await heardOf(() => {
      throw mistake
    })
    const answer = await fetch(url)
    expect([answer.status, await answer.text()]).toEqual([500, ''])
    expect(heard).toEqual([mistake])
  })

  it('what its promise rejects with', async () => {
    const { url, heard } = await heardOf(() => Promise.reject(mistake))
    expect((await fetch(url)).status).toBe(500)
    expect(heard).toEqual([mistake])
  })

  it('what the body of its answer breaks off with', async () => {
    let pulls = 0
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      await later()
      pulls += 1
      if (pulls < 3) controller.enqueue(new Uint8Array(3))
      else controller.error(mistake)
    }
    const { url, heard } = await heardOf(() => new Response(new ReadableStream({ pull })))
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow()
    expect(heard).toEqual([mistake])
  })

  it('that it answered nothing', async () => {
    const { url, heard } = await heardOf(() => undefined as never)
    expect((await fetch(url)).status).toBe(500)
    expect(heard).toEqual([expect.any(TypeError)])
  })

  it('nothing where the client went away', async () => {
    let begun = () => {}
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    const { url, heard } = await heardOf(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          begun()
        }),
    )
    const leaving = new AbortController()
    const answer = fetch(url, { signal: leaving.signal })
    await hasBegun
    leaving.abort()
    await expect(answer).rejects.toThrow()
    await later()
    expect(heard).toEqual([])
  })

  it('nothing where the client went away before its whole body had come', async () => {
    let begun = () => {}
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    let ended: unknown
    const { url, heard } = await heardOf(async (request) => {
      begun()
      try {
        return new Response(await request.text())
      } catch (error) {
        ended = error
        throw error
      }
    })
    const leaving = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      pull: (to) => later().then(() => to.enqueue(new Uint8Array(9))),
    })
    const init = { method: 'POST', body, duplex: 'half' as const, signal: leaving.signal }
    const answer = fetch(url, init)
    await hasBegun
    leaving.abort()
    await expect(answer).rejects.toThrow()
    while (ended === undefined) await later()
    await later()
    expect(heard).toEqual([])
  })

  it('and may fail itself: the next request is answered', async () => {
    const listening = await serve({
      fetch: () => Promise.reject(mistake),
      onError: () => {
        throw new Error('a mistake of who listens')
      },
    })
    open.push(listening)
    for (let time = 0; time < 2; time += 1) expect((await fetch(listening.url)).status).toBe(500)
  })
})
