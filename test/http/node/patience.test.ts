import { createServer } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { serve } from '../../../src/http/node/index.ts'

vi.mock('node:http', async (original) => {
  const http = await original<typeof import('node:http')>()
  return { ...http, createServer: vi.fn(http.createServer) }
})

describe('a listener', () => {
  it('waits a minute for the head of a request, for ever for a body, and notices clients that vanish', async () => {
    const listening = await serve({ fetch: () => new Response() })
    expect(vi.mocked(createServer).mock.calls[0]?.[0]).toMatchObject({
      headersTimeout: 60_000,
      requestTimeout: 0,
      keepAlive: true,
    })
    await listening.close()
  })
})
