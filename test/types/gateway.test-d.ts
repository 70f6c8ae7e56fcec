import { move } from 'plinth'
import { connectionLifecycle, createGateway, type GraceEnd, shutdownLifecycle } from 'plinth/gateway'
import { expectError, expectType } from 'tsd'

// The tables are types too: a move that is not in them does not compile.
expectType<'CONNECTING'>(move(connectionLifecycle, 'TRANSIENT_FAILURE', 'retry'))
expectError(move(connectionLifecycle, 'READY', 'retry'))
expectError(move(connectionLifecycle, 'SHUTDOWN', 'connect'))
expectType<'draining'>(move(shutdownLifecycle, 'serving', 'drain'))
expectError(move(shutdownLifecycle, 'draining', 'drain'))

const gateway = createGateway({ worker: { dial: async (signal) => signal.throwIfAborted() } })
expectType<Promise<GraceEnd>>(gateway.beginShutdown(3000))
expectType<'elapsed' | 'forced'>(await gateway.beginShutdown())
expectError(createGateway({ worker: {} }))
