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

/**
 * Returns a function that calls a listener with each event. Errors that the listener throws or rejects with go to
 * `onError`: the event has happened either way.
 */
export const eventEmitter =
  <Event>(
    listener: ((event: Event) => unknown) | undefined,
    onError: (error: unknown) => void = () => {},
  ): ((event: Event) => void) =>
  (event) => {
    try {
      const result = listener?.(event)
      if (result instanceof Promise) result.catch(onError)
    } catch (error) {
      onError(error)
    }
  }
