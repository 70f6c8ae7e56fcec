/**
 * The console: a browser application that shows the five services, and the handler that serves it together with them.
 *
 * @packageDocumentation
 */
export type { FetchHandler, RequestContext, ServiceFetch } from '../http/index.ts'
export {
  type Console,
  type ConsoleOptions,
  type ConsoleService,
  type ConsoleServiceName,
  createConsole,
} from './create-console.ts'
