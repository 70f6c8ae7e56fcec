import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { viewPath } from '../../data/base-path.ts'
import { Problem as CallProblem, call } from '../../data/call.ts'
import { type Resource, useResource } from '../../data/resource.ts'
import type { ServiceName } from '../../data/services.ts'
import { tokens } from '../../data/tokens.ts'
import { Action } from '../../ui/action.tsx'
import type { Column } from '../../ui/column.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldsForm } from '../../ui/fields-form.tsx'
import { type Field, textOfValue } from '../../ui/form-fields.ts'
import { Icon } from '../../ui/icon.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { View } from '../../ui/view.tsx'
import { Login } from '../secrets/login.tsx'
import { Sealable } from '../secrets/seal.tsx'
import { fieldsOf } from './forms.ts'
import type { Form, Item, Kind } from './kind.ts'
import { kindPath, kinds } from './kinds.ts'
import { itemsIn, nameOf, pathOf } from './paths.ts'

/** The list of one kind of objects, with the forms that create and change them. */
export default function Administration() {
  const { path } = useLocation()
  const kind = kinds.find((each) => viewPath(kindPath(each)) === path)
  return kind ? <Managed key={path} kind={kind} /> : <View title="Page not found">{null}</View>
}

const read = async (service: ServiceName, path: string, signal?: AbortSignal): Promise<unknown> =>
  (await call(service, path, signal ? { signal } : {})).body

/** The same, but nothing for 404: an empty list, or settings that were never written. */
const readIfThere: typeof read = (...asked) =>
  read(...asked).catch((error: unknown) => {
    if (error instanceof CallProblem && error.status === 404) return undefined
    throw error
  })

function Managed({ kind }: { readonly kind: Kind }) {
  const within = useSignal('')
  const open = useSignal<Opened | undefined>(undefined)
  const openForm = (opened: Opened) => {
    open.value = opened
  }
  const contexts = useResource(
    async ({ signal }) => ({ value: await readContexts(kind, signal) }),
    [kind.slug],
  ).state.value
  const context = within.value || contexts.value?.[0] || ''
  const list = useResource(
    async ({ signal }) => ({
      value:
        kind.within && context === ''
          ? undefined
          : itemsIn(await read(kind.service, pathOf(kind.list, '', context), signal), kind.rows),
    }),
    [kind.slug, context],
  )
  const create = kind.create && (kind.within === undefined || context !== '') && (
    <CreateButton kind={kind} form={kind.create} open={openForm} />
  )
  const frame = { title: kind.title, actions: create || undefined }
  const content = (
    <>
      <p class="muted">{kind.about}</p>
      {kind.within && contexts.value && (
        <ContextPicker
          kind={kind}
          names={contexts.value}
          chosen={context}
          choose={(name) => {
            within.value = name
          }}
        />
      )}
      {contexts.problem && <Problem problem={contexts.problem} service={kind.service} />}
      <Items kind={kind} context={context} list={list} open={openForm} />
      {open.value && (
        <Opening
          kind={kind}
          context={context}
          opened={open.value}
          close={() => {
            open.value = undefined
          }}
          reload={list.reload}
        />
      )}
    </>
  )
  return kind.service === 'secrets' ? (
    <Guarded {...frame}>{content}</Guarded>
  ) : (
    <View {...frame}>{content}</View>
  )
}

/** The frame of a view of the secrets service: it asks for a sign-in first. */
function Guarded(frame: {
  readonly title: string
  readonly actions: ComponentChildren
  readonly children: ComponentChildren
}) {
  return tokens.value.secrets === undefined ? (
    <Sealable title={frame.title}>
      <Login />
    </Sealable>
  ) : (
    <Sealable {...frame} />
  )
}

const CreateButton = ({
  kind,
  form,
  open,
}: {
  readonly kind: Kind
  readonly form: Form
  readonly open: (opened: Opened) => void
}) => (
  <button type="button" onClick={() => open({ form, item: undefined })}>
    <Icon name="add" /> {createVerb(kind)}
  </button>
)

const createVerb = ({ noun, remove }: Kind): string =>
  remove?.verb === 'Disable' ? `Enable ${article(noun)}` : `New ${noun}`
const article = (noun: string): string => `${/^[aeiouA]/.test(noun) ? 'an' : 'a'} ${noun}`

/** What the objects of a kind belong to: mounts of its auth method, namespaces, owners. */
async function readContexts({ service, within }: Kind, signal: AbortSignal): Promise<readonly string[]> {
  if (!within) return []
  const items = itemsIn(await read(service, within.path, signal), within.method ? 'data' : within.rows)
  const names = items
    .filter(({ type }) => within.method === undefined || type === within.method || type === within.alsoMethod)
    .map((item) => textOfValue(item[within.of ?? 'id']).replace(/\/$/, ''))
  const { inside } = within
  return inside === undefined
    ? names
    : (await Promise.all(names.map((name) => namesInside(service, pathOf(inside, name, ''), signal)))).flat()
}

/** The paths of the objects in a list of the secrets service, without `/v1/auth/`; none if the list is empty. */
async function namesInside(service: ServiceName, list: string, signal: AbortSignal) {
  const answer = await readIfThere(service, list, signal)
  const path = list.replace('/v1/auth/', '').replace(/\?.*/, '')
  return itemsIn(answer, 'data.keys').map(({ id }) => `${path}/${textOfValue(id)}`)
}

function ContextPicker({
  kind: { within, title },
  names,
  chosen,
  choose,
}: {
  readonly kind: Kind
  readonly names: readonly string[]
  readonly chosen: string
  readonly choose: (name: string) => void
}) {
  if (within && names.length === 0) return <NoContext within={within} title={title} />
  return (
    <p>
      <label class="chips">
        {within?.title}{' '}
        <select value={chosen} onChange={({ currentTarget: { value } }) => choose(value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </p>
  )
}

/** Says what is missing, and where to create it. */
function NoContext({
  within: { title: missing, method, inside },
  title,
}: {
  readonly within: NonNullable<Kind['within']>
  readonly title: string
}) {
  if (method === undefined) return <p class="empty">There is no {missing.toLowerCase()} yet.</p>
  const [text, verb, view] =
    inside === undefined
      ? [`No auth method of type ${method} is enabled.`, 'Enable', 'auth-methods']
      : [`There is no ${missing.toLowerCase()} yet.`, 'Create', 'app-roles']
  return (
    <p class="empty">
      {text} <a href={viewPath(`/secrets/-/${view}`)}>{verb} one</a> to have{' '}
      {title.charAt(0).toLowerCase() + title.slice(1)}.
    </p>
  )
}

/** A form that is open: on an object, or for a new one. */
interface Opened {
  readonly form: Form
  readonly item: Item | undefined
}

function Items({
  kind,
  context,
  list,
  open,
}: {
  readonly kind: Kind
  readonly context: string
  readonly list: Resource<readonly Item[] | undefined>
  readonly open: (opened: Opened) => void
}) {
  const word = useSignal('')
  const { value: items, problem } = list.state.value
  if (problem && problem.status !== 404) return <Problem problem={problem} service={kind.service} />
  if (!items && !problem) return null
  const all = (items ?? []).filter(
    ({ type }) => kind.types === undefined || kind.types.includes(String(type)),
  )
  if (all.length === 0) return <p class="empty">There is no {kind.noun} yet.</p>
  const shown = all.filter((item) =>
    Object.values(item).some((value) => textOfValue(value).toLowerCase().includes(word.value.toLowerCase())),
  )
  const find = (text: string) => {
    word.value = text.trim()
  }
  return (
    <>
      <SearchBox value={word.value} onInput={find} onSearch={find} />
      <p class="muted" role="status">
        {shown.length} of {all.length}
      </p>
      <Rows
        label={kind.title}
        rows={shown}
        keyOf={(item) => JSON.stringify(item)}
        columns={columnsOf(kind, context, list.reload, open)}
      />
    </>
  )
}

function columnsOf(
  kind: Kind,
  context: string,
  reload: () => void,
  open: (opened: Opened) => void,
): readonly Column<Item>[] {
  const { id, idTitle = 'Name', columns, remove } = kind
  const change = kind.change === 'as created' ? kind.create : kind.change
  return [
    {
      title: idTitle,
      by: (item) => textOfValue(item[id]),
      cell: (item) =>
        change ? (
          <button type="button" class="link" data-row-link onClick={() => open({ form: change, item })}>
            {textOfValue(item[id])}
          </button>
        ) : (
          textOfValue(item[id])
        ),
    },
    ...Object.entries(columns).map(
      ([field, title]): Column<Item> => ({
        title,
        by: (item) => textOfValue(item[field]),
        cell: (item) => shownValue(field, item[field]),
        isMinor: true,
      }),
    ),
    ...(remove
      ? [
          {
            title: 'Actions',
            cell: (item: Item) =>
              remove.except?.includes(String(item['type'])) ? (
                <span class="muted">built in</span>
              ) : (
                <Remove kind={kind} remove={remove} context={context} item={item} reload={reload} />
              ),
          },
        ]
      : []),
  ]
}

function shownValue(field: string, value: unknown): ComponentChildren {
  if (typeof value === 'string' && /_at$|Time$/.test(field) && value !== '')
    return <Time ms={Date.parse(value)} />
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return textOfValue(value).replaceAll('\n', ', ') || '–'
}

function Remove({
  kind,
  remove: { verb, path, text, body },
  context,
  item,
  reload,
}: {
  readonly kind: Kind
  readonly remove: NonNullable<Kind['remove']>
  readonly context: string
  readonly item: Item
  readonly reload: () => void
}) {
  const name = nameOf(kind, item)
  return (
    <Action
      kind="danger"
      confirm={{ title: `${verb} ${name}?`, text, action: verb }}
      done={`${verb}: ${name}`}
      run={async () => {
        const method =
          body === undefined
            ? { method: 'DELETE' as const }
            : { method: 'POST' as const, body: { [body]: name } }
        await call(kind.service, pathOf(path, name, context), method)
        reload()
      }}
    >
      {verb}
      <span class="hidden"> {name}</span>
    </Action>
  )
}

interface OpeningProps {
  readonly kind: Kind
  readonly context: string
  readonly opened: Opened
  readonly close: () => void
  readonly reload: () => void
}

/** The dialog of a form. A token that the service answers is shown there once. */
function Opening({ kind, context, opened: { form, item }, close, reload }: OpeningProps) {
  const secret = useSignal('')
  const name = item && nameOf(kind, item)
  const values = useResource(
    async ({ signal }) => ({
      value:
        name === undefined || kind.read === undefined
          ? (item ?? {})
          : insideOf(await readIfThere(kind.service, pathOf(kind.read, name, context), signal)),
    }),
    [name],
  ).state.value
  const { fields, more } = fieldsOf(kind, form)
  const isNamed = name === undefined && form.path.includes('{id}')
  const named: Field = { name: kind.idTitle ?? 'Name', kind: 'text', isRequired: true }
  const send = async (filled: Readonly<Record<string, unknown>>) => {
    const { [named.name]: given, ...rest } = filled
    const to = name ?? (isNamed ? String(given) : '')
    const body = isNamed || isNamedInBody(kind, form) ? rest : filled
    const answer = await sendForm(kind, form, { to, context, body })
    reload()
    const shown = form.shows === undefined ? undefined : answer[form.shows]
    if (typeof shown === 'string') secret.value = shown
    else {
      toast(name === undefined ? `Created: ${to || kind.noun}` : `Saved: ${name}`)
      close()
    }
  }
  return (
    <Dialog title={name === undefined ? createVerb(kind) : `Change ${name}`} close={close}>
      {secret.value !== '' ? (
        <ShownOnce what={form.shows} noun={kind.noun} secret={secret.value} />
      ) : values.problem ? (
        <Problem problem={values.problem} service={kind.service} />
      ) : (
        values.value && (
          <FieldsForm
            fields={isNamed ? [named, ...fields] : fields}
            more={more}
            values={values.value}
            isReplaced={kind.service === 'scheduler'}
            action={name === undefined ? createVerb(kind) : 'Save'}
            send={send}
          />
        )
      )}
    </Dialog>
  )
}

/** Sends what a form was filled with, and returns the object that the service answers. */
async function sendForm(
  kind: Kind,
  form: Form,
  { to, context, body }: { readonly to: string; readonly context: string; readonly body: Item },
): Promise<Item> {
  const answer = await call<Item | undefined>(kind.service, pathOf(form.path, to, context), {
    method: form.method,
    body: isNamedInBody(kind, form) ? { ...body, ...nameInBody(kind, to, context) } : body,
  })
  return insideOf(answer.body)
}

const ShownOnce = ({
  what,
  noun,
  secret,
}: {
  readonly what: string | undefined
  readonly noun: string
  readonly secret: string
}) => (
  <p role="status">
    The {what} is shown once: copy it now. <code>••••••••</code>{' '}
    <CopyButton text={secret} what={`the new ${noun}`} isSecret />
  </p>
)

/** The scheduler's requests name the object in the body, too. */
const isNamedInBody = ({ service }: Kind, { path }: Form): boolean =>
  service === 'scheduler' && path.includes('{id}')
const nameInBody = ({ slug, id }: Kind, name: string, context: string): Item =>
  slug === 'variables' ? { Path: name, Namespace: context } : { [id]: name }

/** The object in an answer, without the envelope of the secrets service. */
const insideOf = (body: unknown): Item => {
  const found = (body ?? {}) as Item
  return typeof found['data'] === 'object' && found['data'] !== null ? (found['data'] as Item) : found
}
