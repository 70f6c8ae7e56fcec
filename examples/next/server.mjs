// The built app behind a server of one's own: requests with LIST, which no handler of Next sees, reach a secrets service.
import { createServer } from 'node:http'
import next from 'next'
import { mount } from 'plinth/http'
import { prepareServer, toNodeListener } from 'plinth/node'
import { devSecrets } from 'plinth/secrets'

const { service } = await devSecrets({ rootToken: 'root' })
const secrets = toNodeListener(mount({ '/secrets': service.fetch }))
const app = next({})
await app.prepare()
const handle = app.getRequestHandler()

const server = createServer((request, response) =>
  (request.url.startsWith('/secrets/') ? secrets : handle)(request, response),
)
prepareServer(server).listen(process.env.PORT ?? 3000)
