import type { Row } from './row.ts'
import { filter } from './rows/filter.ts'
import { http } from './rows/http.ts'
import { scheduler } from './rows/scheduler.ts'
import { search } from './rows/search.ts'
import { secrets } from './rows/secrets.ts'
import { start } from './rows/start.ts'
import { store } from './rows/store.ts'

/** The rows, by their names in `--only`. Those of a group share a process. */
export const groups = { filter, secrets, scheduler, search, store, http, start } satisfies Readonly<
  Record<string, readonly Row[]>
>

/** The name of a group. */
export type Group = keyof typeof groups

/** Whether a group has this name. */
export const isGroup = (name: string): name is Group => Object.hasOwn(groups, name)
