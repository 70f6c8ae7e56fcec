import type { Env, Refused } from '../../../kernel/index.ts'
import { collection } from '../../../store/index.ts'
import { unlessClosed } from '../../../store/port/errors.ts'
import { writeCors } from '../../headers/cors-settings.ts'
import type { CrossOriginRules } from '../../headers/cross-origin.ts'
import { canonicalName, customHeaders } from '../../headers/custom-headers.ts'
import { type Core, isRefused } from '../core/core.ts'
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

/** The settings of the edge. */
export type EdgeSettings = ReturnType<typeof edgeSettings>

const none: EdgeRecord = { cors: null, uiHeaders: {} }

export function edgeSettings(core: Core) {
  const change = <C extends string = never>(act: (before: EdgeRecord, env: Env) => EdgeRecord | Refused<C>) =>
    core.commit<undefined, C>((tx, env) => {
      const after = act(tx.get(edgeRecords, 'it')?.value.rim ?? none, env)
      if (isRefused(after)) return after
      tx.put(edgeRecords, { rim: after })
      return done(undefined)
    })
  return {
    read: async (): Promise<EdgeRecord> => edgeRecords.get(await core.fresh(), 'it')?.value.rim ?? none,
    /** The cached settings, without waiting; `undefined` while there are none, or the service is sealed or closed. */
    now: (): EdgeRecord | undefined =>
      unlessClosed(() => {
        const opened = core.barrier.ifOpen()
        return opened && edgeRecords.get(opened.view.stale(), 'it')?.value.rim
      }),
    writeCors: (rules: CrossOriginRules) =>
      change((before, env) => {
        const written = writeCors(before.cors ?? undefined, rules, env)
        return written.ok ? { ...before, cors: written.state } : written
      }),
    removeCors: () => change((before) => ({ ...before, cors: null })),
    writeUiHeader: (name: string, values: readonly string[]) =>
      change((before) => {
        const read = customHeaders({ default: { [name]: values } }, core.words.all)
        if (!read.ok) return read
        return { ...before, uiHeaders: { ...before.uiHeaders, [canonicalName(name) ?? name]: [...values] } }
      }),
    removeUiHeader: (name: string) =>
      change((before) => {
        const others = Object.entries(before.uiHeaders).filter(([other]) => other !== canonicalName(name))
        return { ...before, uiHeaders: Object.fromEntries(others) }
      }),
  }
}
