import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import type { NamespaceEntry, NamespaceEvent, NamespaceTable } from './model.ts'
import { nameProblem } from './rules.ts'

/** Why no namespace was created. */
export type NamespaceRefusal = 'namespace_name_invalid' | 'namespace_not_found' | 'mount_path_taken'

/**
 * Creates a namespace within another. An existing one stays unchanged.
 *
 * @param input - `parent`: empty for the root, otherwise with a trailing slash; `mounts`: the paths mounted in it, none
 * by default
 * @returns the namespace; or `mount_path_taken` if it would hide a mount of its parent
 */
export function createNamespace(
  table: NamespaceTable,
  input: {
    readonly parent: string
    readonly name: string
    readonly mounts?: readonly string[] | undefined
    readonly customMetadata?: Readonly<Record<string, string>> | undefined
  },
  env: Env,
): Outcome<NamespaceTable, NamespaceEntry, NamespaceEvent, NamespaceRefusal> {
  checkInput(input, { parent: '', name: '' }, { mounts: {}, customMetadata: {} }, env)
  const name = input.name.replace(/\/$/, '')
  const wrong = nameProblem(name)
  if (wrong !== undefined) return refuse('namespace_name_invalid', wrong)
  if (input.parent !== '' && !Object.hasOwn(table.namespaces, input.parent))
    return refuse('namespace_not_found', 'namespace not found')
  const path = `${input.parent}${name}/`
  const existing = ownValue(table.namespaces, path)
  if (existing) return answer(table, existing)
  const hidden = input.mounts?.find((mount) => mount.startsWith(`${name}/`))
  if (hidden !== undefined) return refuse('mount_path_taken', `path is already in use at ${hidden}`)
  const entry: NamespaceEntry = {
    id: env.newId('namespace'),
    path,
    createdAt: env.now,
    customMetadata: { ...input.customMetadata },
  }
  return step(table, (draft, emit) => {
    draft.namespaces[path] = entry
    emit({ type: 'namespace.created', path })
    return entry
  })
}

/**
 * Changes the custom metadata of a namespace: `null` removes a key, omitted keys stay.
 *
 * @returns the namespace, or `undefined` if it does not exist
 */
export function describeNamespace(
  table: NamespaceTable,
  input: {
    readonly path: string
    readonly customMetadata?: Readonly<Record<string, string | null>> | null | undefined
  },
  _env?: Env,
): Outcome<NamespaceTable, NamespaceEntry | undefined, NamespaceEvent> {
  checkInput(input, { path: '' }, { customMetadata: {} })
  const entry = ownValue(table.namespaces, input.path)
  if (entry === undefined || input.customMetadata === undefined) return answer(table, entry)
  const notes = new Map(input.customMetadata === null ? [] : Object.entries(entry.customMetadata))
  for (const [name, value] of Object.entries(input.customMetadata ?? {}))
    if (value === null) notes.delete(name)
    else notes.set(name, value)
  const described: NamespaceEntry = { ...entry, customMetadata: Object.fromEntries(notes) }
  return step(table, (draft, emit) => {
    draft.namespaces[input.path] = described
    emit({ type: 'namespace.described', path: input.path })
    return described
  })
}

/**
 * Deletes a namespace; one that contains others is refused.
 *
 * @returns the deleted namespace, or `undefined` if it did not exist
 */
export function deleteNamespace(
  table: NamespaceTable,
  input: { readonly path: string },
  _env?: Env,
): Outcome<NamespaceTable, NamespaceEntry | undefined, NamespaceEvent, 'namespace_not_empty'> {
  checkInput(input, { path: '' }, {})
  const entry = ownValue(table.namespaces, input.path)
  if (entry === undefined) return answer(table, undefined)
  const child = Object.keys(table.namespaces).find(
    (path) => path !== input.path && path.startsWith(input.path),
  )
  if (child !== undefined)
    return refuse('namespace_not_empty', `namespace "${input.path}" contains "${child}"; delete that first`)
  return step(table, (draft, emit) => {
    delete draft.namespaces[input.path]
    emit({ type: 'namespace.deleted', path: input.path })
    return entry
  })
}

/** The names of the namespaces directly within another, each with a trailing slash, in order. */
export const childNamespaces = (table: NamespaceTable, parent: string): readonly NamespaceEntry[] =>
  Object.values(table.namespaces)
    .filter(({ path }) => path.startsWith(parent) && path.indexOf('/', parent.length) === path.length - 1)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
