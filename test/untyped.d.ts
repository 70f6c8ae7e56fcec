/** Packages of tests that have no types of their own. */
declare module 'express-4' {
  export { default } from 'express'
}
declare module 'koa' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Context {
    readonly req: IncomingMessage
    readonly res: ServerResponse
    respond?: boolean
  }
  export default class Koa {
    use(middleware: (context: Context) => unknown): this
    callback(): RequestListener
  }
}
