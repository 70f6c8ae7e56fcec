// Asks the service in the app of an example, of which the first argument is the file; prints what it answered.
const app = await import(new URL(process.argv[2], import.meta.url))

/** How the app is asked, by what its file exports. */
const asks = {
  server: async (path) => {
    const { server } = app
    return (await fetch((server.url ?? `http://127.0.0.1:${server.address().port}`) + path)).json()
  },
  handler: async (path) => {
    const [rawPath, rawQueryString] = path.split('?')
    const domainName = 'modules.example.com'
    const http = { method: 'GET', path: rawPath }
    const headers = { host: domainName }
    const event = { version: '2.0', rawPath, rawQueryString, headers, requestContext: { domainName, http } }
    return JSON.parse((await app.handler(event)).body)
  },
  GET: async (path) => (await app.GET(new Request(`http://app.test${path}`), { params: {} })).json(),
  loader: async (path) => (await app.loader({ request: new Request(`http://app.test${path}`) })).json(),
  fallback: async (path) => (await app.fallback({ request: new Request(`http://app.test${path}`) })).json(),
}
const [ask] = Object.keys(asks).filter((name) => name in app)
console.log(JSON.stringify(await asks[ask]('/v1/modules?limit=7')))
process.exit()
