/**
 * The parts that need Node: serving over `node:http` with the `LIST` method, cryptography, digests, and blobs in a
 * directory.
 *
 * @packageDocumentation
 */

export {
  type CryptoPort,
  type DigestAlgorithm,
  type HmacAlgorithm,
  type NodeCryptoOptions,
  nodeCrypto,
} from '../../crypto/index.ts'
export type { Env, Instant, Refusal, Refused } from '../../kernel/index.ts'
export { directoryBlobs } from '../../store/blobs/directory.ts'
export { nodeHashing } from '../../store/blobs/node-hashing.ts'
export type { BlobPutOptions, Blobs, BlobWritten, DigestName, Hashing } from '../../store/index.ts'
export type { FetchHandler, RequestContext } from '../fetch.ts'
export {
  type FastifyMessage,
  type FastifyPlinthOptions,
  type FastifyScope,
  fastifyPlinth,
} from './fastify.ts'
export { type LineFile, lineFile } from './line-file.ts'
export { type LineSocket, type LineSocketOptions, lineSocket } from './line-socket.ts'
export { type NodeListener, type NodeListenerOptions, toNodeListener } from './listener.ts'
export { openLines } from './open-lines.ts'
export { prepareServer } from './prepare-server.ts'
export { type Listening, type ServeOptions, serve } from './serve.ts'
export { webhookSender } from './webhook-sender.ts'
