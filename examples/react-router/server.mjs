// The built app behind Express: requests with LIST, which no loader or action sees, reach a secrets service.
import { createServer } from 'node:http'
import { createRequestHandler } from '@react-router/express'
import express from 'express'
import { prepareServer, toNodeListener } from 'plinth/node'
import { devSecrets } from 'plinth/secrets'

const { service } = await devSecrets({ rootToken: 'root' })
const app = express()
app.use('/secrets', toNodeListener(service.fetch))
app.use(express.static('build/client'))
app.use(createRequestHandler({ build: await import('./build/server/index.js') }))

prepareServer(createServer(app)).listen(process.env.PORT ?? 3000)
