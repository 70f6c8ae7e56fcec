import { type Env, type Refused, refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { collection } from '../../../store/index.ts'
import { unlessClosed } from '../../../store/port/errors.ts'
import { writeCors } from '../../headers/cors-settings.ts'
import type { CrossOriginRules } from '../../headers/cross-origin.ts'
import { canonicalName, customHeaders } from '../../headers/custom-headers.ts'
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import type { Concept, Core } from '../core/core.ts'
import { done } from '../core/decision.ts'

/** Response headers and CORS rules that were set over HTTP and stored, in addition to a listener's configuration. */
export interface EdgeRecord {
  /** Which pages of other origins may call; `null` for none. */
  readonly cors: CrossOriginRules | null
  /** Headers of the user interface's pages, by {@link canonicalName}. */
  readonly uiHeaders: Readonly<Record<string, readonly string[]>>
}

// Existing stores use the name `rim`.
export const edgeRecords = collection<{ readonly rim: EdgeRecord }>({
  name: 'rim',
  key: () => ['it'],
  scopes: () => [],
})

const none: EdgeRecord = { cors: null, uiHeaders: {} }

const change = <C extends string = never>(
  core: Core,
  act: (before: EdgeRecord, env: Env) => EdgeRecord | Refused<C>,
) =>
  core.commit<undefined, C>((tx, env) => {
    const after = act(tx.get(edgeRecords, 'it')?.value.rim ?? none, env)
    if (isRefused(after)) return after
    tx.put(edgeRecords, { rim: after })
    return done(undefined)
  })

/** The cached settings, without waiting; `undefined` while there are none, or the service is sealed or closed. */
export const edgeNow = (core: Core): EdgeRecord | undefined =>
  unlessClosed(() => {
    const opened = core.barrier.ifOpen()
    return opened && edgeRecords.get(opened.view.stale(), 'it')?.value.rim
  })

/** The operations on the settings of the edge. */
export const edgeOperations = {
  read: routeOperation({
    refuses: [],
    run: async ({ core }: Within) => found(edgeRecords.get(await core.fresh(), 'it')?.value.rim ?? none),
  }),
  writeCors: routeOperation({
    refuses: ['cors_origins'],
    run: ({ core }: Within, rules: CrossOriginRules) =>
      change(core, (before, env) => {
        const written = writeCors(before.cors ?? undefined, rules, env)
        return written.ok ? { ...before, cors: written.state } : written
      }),
  }),
  removeCors: routeOperation({
    refuses: [],
    run: ({ core }: Within) => change(core, (before) => ({ ...before, cors: null })),
  }),
  writeUiHeader: routeOperation({
    refuses: ['invalid_response_headers'],
    run: async ({ core }: Within, name: string, values: readonly string[]) => {
      if (values.length === 0) return refuse('invalid_response_headers', 'header values must be provided')
      const prefix = core.words.all.find((word) => name.toLowerCase().startsWith(`x-${word.toLowerCase()}-`))
      if (prefix !== undefined) return refuse('invalid_response_headers', `X-${prefix} headers cannot be set`)
      return change(core, (before) => {
        const read = customHeaders({ default: { [name]: values } }, core.words.all)
        if (!read.ok) return read
        return { ...before, uiHeaders: { ...before.uiHeaders, [canonicalName(name) ?? name]: [...values] } }
      })
    },
  }),
  removeUiHeader: routeOperation({
    refuses: [],
    run: ({ core }: Within, name: string) =>
      change(core, (before) => {
        const others = Object.entries(before.uiHeaders).filter(([other]) => other !== canonicalName(name))
        return { ...before, uiHeaders: Object.fromEntries(others) }
      }),
  }),
}

export const edge: Concept = { held: [edgeRecords] }
