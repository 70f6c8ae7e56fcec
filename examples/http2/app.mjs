// A secrets service over HTTP/2, which knows LIST; browsers and most clients want `createSecureServer`.
import { createServer } from 'node:http2'
import { prepareServer, toNodeListener } from 'plinth/node'
import { devSecrets } from 'plinth/secrets'

export const { service: secrets, rootToken } = await devSecrets()
export const server = prepareServer(createServer(toNodeListener(secrets.fetch))).listen(0)
