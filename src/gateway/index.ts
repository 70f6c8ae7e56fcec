/**
 * The gateway health endpoint: graceful shutdown, a worker that reconnects automatically, and the answers to health
 * probes.
 *
 * @packageDocumentation
 */

// Start here

export type { GatewayEvent, GatewayOptions } from './options.ts'
export type { GraceEnd } from './running-shutdown.ts'
export {
  createGateway,
  type Gateway,
} from './service.ts'

// The rest, by kind

export type { OpenApiDocument, RefusalCode, RequestRecord, Route } from '../http/index.ts'
export type { Env, Instant, Outcome, Refusal, Refused, ServiceEvent, Step, Timers } from '../kernel/index.ts'
export {
  checkGatewayConfig,
  defaultPorts,
  type GatewayConfig,
  type GatewayConfigInput,
  type ListenerInput,
  type ListenerPurpose,
} from './config.ts'
export { type ConnectionState, type ConnectionVerb, connectionLifecycle, retryDelayMs } from './connection.ts'
export {
  endGrace,
  finishShutdown,
  type Shutdown,
  type ShutdownEvent,
  type ShutdownPhase,
  serving,
  shutdownLifecycle,
  signalShutdown,
} from './graceful-shutdown.ts'
export { type Health, judgeHealth } from './health.ts'
export { refusalCodes } from './refusal-codes.ts'
export type { HealthContext } from './routes.ts'
export type { WorkerHealth } from './wire.ts'
export {
  countConnection,
  moveConnection,
  newWorker,
  startWorker,
  stopWorker,
  type Worker,
  type WorkerEvent,
  type WorkerState,
  workerLifecycle,
} from './worker.ts'
