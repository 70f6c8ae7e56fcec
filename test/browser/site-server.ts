import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

/** Where `npm run docs:build` puts the site. */
export const siteFolder = 'site/.vitepress/dist'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Serves the built site as a static host does: `/a` is the file `a.html`. */
export async function serveSite(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site.test')
    const path = join(siteFolder, normalize(decodeURIComponent(pathname)))
    const file = [path, `${path}.html`, join(path, 'index.html')].find(
      (each) => extname(each) !== '' && existsSync(each),
    )
    response.statusCode = file === undefined ? 404 : 200
    const found = file ?? join(siteFolder, '404.html')
    response.setHeader('content-type', types[extname(found)] ?? 'application/octet-stream')
    response.end(await readFile(found))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
