import type { Instant } from './env.ts'

/**
 * An event of a service's `onEvent`: its type and its time. This is the common base of the events of all services, so
 * that one listener can handle them all.
 *
 * @example
 * ```ts
 * import type { ServiceEvent } from 'plinth'
 * import { createRegistry } from 'plinth/registry'
 * import { createScheduler } from 'plinth/scheduler'
 *
 * const lines: string[] = []
 * const onEvent = ({ at, type }: ServiceEvent) => lines.push(`${new Date(at).toISOString()} ${type}`)
 * const registry = createRegistry({ onEvent })
 * const scheduler = createScheduler({ onEvent })
 *
 * await registry.publishModule({ namespace: 'acme', name: 'vpc', provider: 'aws' })
 * await scheduler.upsertPool({ Name: 'gpu' })
 * lines.map((line) => line.split(' ')[1]) // ['module.published', 'pool.upserted']
 * ```
 */
export type ServiceEvent<Event extends { readonly type: string } = { readonly type: string }> = {
  /** When the command was decided. */
  readonly at: Instant
} & Event

declare const guarded: unique symbol

/** A call of a listener that neither throws nor rejects; only {@link eventEmitter} makes one. */
export type Emitter<Event extends readonly unknown[]> = ((...event: Event) => void) & {
  readonly [guarded]: true
}

/** Where errors go that have no caller. */
export type Reporter = Emitter<[error: unknown]>

/**
 * Returns a function that calls a listener and never waits for it. Errors that the listener throws or rejects with go
 * to `report`, and without one nowhere: what it is told has happened either way.
 */
export function eventEmitter<Event extends readonly unknown[]>(
  listener: ((...event: Event) => unknown) | undefined,
  report?: Reporter,
): Emitter<Event> {
  const emit = (...event: Event) => {
    try {
      const result = listener?.(...event)
      // Of any promise library: adopting it calls its `then`, wherever it comes from.
      if (typeof result === 'object' && result !== null)
        new Promise((settle) => settle(result)).catch((error: unknown) => report?.(error))
    } catch (error) {
      report?.(error)
    }
  }
  return emit as Emitter<Event>
}
