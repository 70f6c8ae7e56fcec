import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import type { Access } from '../../acl/access.ts'
import type { ClusterEvent, RoutedEvent } from './change-events.ts'
import type { EventLog } from './log.ts'
import { type Followed, mayFollow } from './topics.ts'

/**
 * The events of one index; or, with `Lost`, the range of indexes, both inclusive, whose events are no longer kept.
 */
export interface ClusterEvents {
  readonly Index: number
  readonly Events: readonly ClusterEvent[]
  readonly Lost?: { readonly From: number; readonly To: number } | undefined
}

/** A subscription. */
export interface Following {
  readonly topics: Followed
  /** `*` for every namespace that the subscriber can read. */
  readonly namespace: string
  /** The first index, inclusive; 0 for the oldest kept one. */
  readonly index: number
  /** The subscriber's current rights; `undefined` once the token is invalid. */
  readonly access: () => Access | undefined
  /** Aborts when the subscriber leaves. */
  readonly signal: AbortSignal
}

/** How many entries are read before the event loop continues. */
const slice = 64

/**
 * Follows the events of a cluster: the kept ones from an index on, then new ones. Ends when the log is closed, when the
 * signal aborts, when the caller loses the rights to the topics, and after reporting lost events: a slow reader does not
 * keep old events in memory.
 */
export function follow(log: EventLog, following: Following): AsyncGenerator<ClusterEvents, void, undefined> {
  // Begins with the call, not with the first read.
  return followFrom(log, log.placeOf(following.index), following)
}

async function* followFrom(
  log: EventLog,
  start: number,
  { topics, namespace, index, access, signal }: Following,
): AsyncGenerator<ClusterEvents, void, undefined> {
  let place = start
  let reached = index - 1
  const floor = log.floor()
  // Revision 1 creates the cluster and has no events.
  if (index > 0 && index <= floor && floor > 1) {
    yield lost(index, floor)
    reached = floor
  }
  const rightsNow = () => {
    const rights = log.isClosed() || signal.aborted ? undefined : access()
    return rights !== undefined && mayFollow(rights, topics, namespace) ? rights : undefined
  }
  for (;;) {
    const logged = log.at(place)
    if (rightsNow() === undefined) return
    if (logged === undefined) {
      await log.more(signal)
      continue
    }
    if (logged === 'lost') {
      yield lost(Math.max(reached + 1, 1), Math.max(log.floor(), reached + 1))
      return
    }
    const news = logged.events.filter(({ event }) => event.Index >= index)
    for (const group of byIndex(news)) {
      // Checked before every line: the reader may have been slow with the previous one.
      const rights = rightsNow()
      if (rights === undefined) return
      const Events = group
        .filter((each) => concerns(each, topics, namespace, rights))
        .map(({ event }) => event)
      const [first] = Events
      if (first !== undefined) yield { Index: first.Index, Events }
    }
    reached = Math.max(reached, logged.rev)
    place += 1
    if (place % slice === 0) await nextMacrotask()
  }
}

const lost = (From: number, To: number): ClusterEvents => ({ Index: To, Events: [], Lost: { From, To } })

/** Whether a subscriber to these topics receives an event. */
function concerns(
  { event, related }: RoutedEvent,
  topics: Followed,
  namespace: string,
  access: Access,
): boolean {
  const { Topic, Key, Namespace } = event
  if (Namespace !== '' && namespace !== '*' && Namespace !== namespace) return false
  if (Namespace !== '' && !access.namespace(Namespace, 'read-job')) return false
  if (Topic === 'NodePool' && !access.pool(Key, 'read')) return false
  return [topics.get(Topic), topics.get('*')].some(
    (keys) =>
      keys !== undefined && (keys.has('*') || keys.has(Key) || related.some((other) => keys.has(other))),
  )
}

/** Groups consecutive events of the same index. */
function byIndex(events: readonly RoutedEvent[]): readonly (readonly RoutedEvent[])[] {
  const groups: RoutedEvent[][] = []
  for (const each of events) {
    const group = groups.at(-1)
    if (group?.[0]?.event.Index === each.event.Index) group.push(each)
    else groups.push([each])
  }
  return groups
}
