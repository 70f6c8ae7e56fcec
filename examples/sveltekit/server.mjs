// The built app behind a server of one's own, which accepts LIST.
import { createServer } from 'node:http'
import { prepareServer } from 'plinth/node'
import { handler } from './build/handler.js'

prepareServer(createServer(handler)).listen(process.env.PORT ?? 3000)
