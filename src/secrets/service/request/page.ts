import type { Answered, Exchange } from '../../../http/index.ts'

/** The page behind `/ui/`: what this is, and where to go on. Static, without scripts. */
const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Secrets service</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; color: #222 }
  code { background: #f2f2f2; padding: .1em .3em; border-radius: 3px }
</style>
<h1>Secrets service</h1>
<p>The service is up. It is used over its HTTP API, under <code>/v1/</code>.</p>
<ul>
  <li><a href="../v1/sys/seal-status"><code>/v1/sys/seal-status</code></a>: whether it is sealed</li>
  <li><a href="../v1/sys/health"><code>/v1/sys/health</code></a>: its health</li>
</ul>
<p>Any path under <code>/v1/</code> explains itself with <code>?help=1</code> and a token.</p>
</html>
`

/** What is answered outside the API: `/` leads to `/ui/`, which is a page. */
export function outsideApi({ method, path }: Exchange): Answered | undefined {
  if (path === '/') return { status: 307, headers: { location: '/ui/' }, body: undefined }
  if (path === '/ui') return { status: 301, headers: { location: '/ui/' }, body: undefined }
  if (path !== '/ui/' || (method !== 'GET' && method !== 'HEAD')) return undefined
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: html }
}
