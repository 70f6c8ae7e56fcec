import { type Refused, refuse } from '../../../kernel/index.ts'
import { nearest } from '../../../kernel/nearest.ts'
import type { Access } from '../../acl/access.ts'

/** The right that each topic requires. */
const rights = {
  Job: 'namespace',
  Evaluation: 'namespace',
  Allocation: 'namespace',
  Deployment: 'namespace',
  Node: 'node',
  NodePool: 'pool',
  Namespace: 'management',
  ACLToken: 'management',
  ACLPolicy: 'management',
  ACLRole: 'management',
} as const satisfies Readonly<Record<string, 'namespace' | 'node' | 'pool' | 'management'>>

/**
 * The kinds of objects that have events.
 */
export type EventTopic = keyof typeof rights

export const eventTopics = Object.keys(rights) as readonly EventTopic[] // the keys of that very table

/** The subscribed keys of each topic; `*` for all. */
export type Followed = ReadonlyMap<EventTopic | '*', ReadonlySet<string>>

/** Parses topics as callers write them: `Job`, `Job:web`, `*`; all topics if none is named. */
export function readTopics(
  given: readonly string[],
): { readonly ok: true; readonly value: Followed } | Refused<'invalid_topic'> {
  const followed = new Map<EventTopic | '*', Set<string>>()
  for (const text of given.length === 0 ? ['*'] : given) {
    const colon = text.indexOf(':')
    const name = colon < 0 ? text : text.slice(0, colon)
    const key = colon < 0 ? '*' : text.slice(colon + 1)
    const topic = name === '*' ? name : eventTopics.find((each) => each === name)
    if (topic === undefined || key === '' || key.startsWith(':')) {
      const meant = topic === undefined ? nearest(name, eventTopics) : undefined
      const advice = meant === undefined ? `one of ${eventTopics.join(', ')}, or *` : meant
      return refuse(
        'invalid_topic',
        `Invalid key value pair for topic: ${text}; expected Topic:key, the topic being ${advice}`,
      )
    }
    const keys = followed.get(topic)
    if (keys === undefined) followed.set(topic, new Set([key]))
    else keys.add(key)
  }
  return { ok: true, value: followed }
}

/** Whether a caller may follow all of these topics in a namespace; for `*`, in at least one. */
export const mayFollow = (access: Access, followed: Followed, namespace: string): boolean =>
  [...followed.keys()].every((topic) => {
    const right = topic === '*' ? 'management' : rights[topic]
    switch (right) {
      case 'management':
        return access.management
      case 'node':
        return access.coarse('node', 'read')
      case 'pool':
        return access.pool('*', 'read')
      case 'namespace':
        return access.namespace(namespace, 'read-job')
      default:
        return right satisfies never
    }
  })
