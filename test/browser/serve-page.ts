import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Served } from './visit.ts'

/** Serves one page at every path. */
export async function servePage(page: () => Promise<string>): Promise<Served> {
  const html = await page()
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
