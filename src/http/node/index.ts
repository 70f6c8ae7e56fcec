/**
 * What needs Node: serving over `node:http` with the `LIST` method, digests, and blobs in a directory.
 *
 * @packageDocumentation
 */
export { directoryBlobs, nodeHashing } from '../../store/blobs/directory.ts'
export { type FetchHandler, toNodeListener } from './listener.ts'
export { type Listening, type ServeOptions, serve } from './serve.ts'
