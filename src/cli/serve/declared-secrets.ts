import * as z from 'zod'
import { nearest } from '../../kernel/nearest.ts'
import { noSuch, strict } from '../../operation/known-fields.ts'
import { defaultPolicyText } from '../../secrets/acl/index.ts'
import type { Secrets } from '../../secrets/index.ts'
import { fileText } from '../file-text.ts'
import { UserError } from '../user-error.ts'

/** A body of the HTTP interface: the service checks it. */
const Body = z.record(z.string(), z.json())
/** Bodies by the names of their objects. */
export const Bodies = z.record(z.string(), Body)

const Policy = strict(
  {
    text: z.string().optional().describe('The text of the policy'),
    file: z.string().optional().describe('A file with the text of the policy'),
  },
  'setting',
).refine(({ text, file }) => (text === undefined) !== (file === undefined), {
  error: 'expected text or file',
})

/** The declarations for a secrets service, by the names of a configuration file. */
export const DeclaredSecrets = strict(
  {
    mount: Bodies.optional().describe('Secrets engines by path, with the fields of sys/mounts'),
    auth: Bodies.optional().describe(
      'Auth methods by path, with the fields of sys/auth; the type is the path by default',
    ),
    policy: z.record(z.string(), Policy).optional().describe('Policies by name'),
    user: Bodies.optional().describe(
      'Users by name, with the fields of their auth method; mount is userpass by default',
    ),
    role: Bodies.optional().describe(
      'Roles by name, with the fields of their auth method; mount is approle by default',
    ),
  },
  'setting',
)
export interface DeclaredSecrets extends z.output<typeof DeclaredSecrets> {}

type Fields = z.output<typeof Body>

/** A declared object. */
interface Wanted {
  readonly section: keyof DeclaredSecrets
  readonly name: string
  readonly path: string
  readonly body: Fields
  /** The allowed fields of its body. */
  readonly known: readonly string[]
  /** Whether the declaration replaces this existing object; by default none. */
  readonly replaces?: (found: Fields) => boolean
  /** The problem with an existing object. */
  readonly clash?: (found: Fields) => string | undefined
}

interface DeclareOptions {
  /** The prefix of messages: the file. */
  readonly where: string
  /** The names of sections in the file, if it is not a configuration file. */
  readonly sections?: Readonly<Partial<Record<keyof DeclaredSecrets, string>>>
  /** Called with the warnings of the service. */
  readonly warn?: (line: string) => void
}

/**
 * Creates declared objects that do not exist yet, as requests to the service would. Existing objects stay unchanged, so
 * that a password that was changed later is not reset.
 */
export async function declareSecrets(
  service: Secrets,
  declared: DeclaredSecrets,
  { where, sections = {}, warn = () => {} }: DeclareOptions,
): Promise<void> {
  const wanted = await wantedBy(declared, where, (id) => fieldsOf(service, id))
  const mistake = ({ section, name }: Wanted, message: string, field = '') =>
    new UserError(`${where}: secrets.${sections[section] ?? section}.${name}${field}: ${message}`)
  for (const each of wanted) {
    const { body, known } = each
    const unknown = Object.keys(body).find((field) => !known.includes(field))
    if (unknown !== undefined) throw mistake(each, noSuch('setting', nearest(unknown, known)), `.${unknown}`)
  }
  if (wanted.length === 0) return
  const token = await service.tokens.create({ policies: ['root'], displayName: 'declared', ttlSeconds: 600 })
  if (!token.ok) throw new UserError(`${where}: secrets: ${token.refusal.message}`)
  const call = async (method: string, path: string, body?: Fields) => {
    const answer = await service.fetch(
      new Request(`http://localhost/v1/${path.split('/').map(encodeURIComponent).join('/')}`, {
        method,
        headers: { authorization: `Bearer ${token.value.token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : Answered.parse(JSON.parse(text)) }
  }
  try {
    for (const each of wanted) {
      const { path, body, replaces, clash } = each
      const found = await call('GET', path)
      const isThere = found.status === 200
      const problem = isThere ? clash?.(found.body.data ?? {}) : undefined
      if (problem !== undefined) throw mistake(each, problem)
      if (isThere && replaces?.(found.body.data ?? {}) !== true) continue
      const made = await call('POST', path, body)
      if (made.status >= 300) throw mistake(each, made.body.errors?.join('; ') || `status ${made.status}`)
      for (const warning of made.body.warnings ?? [])
        warn(`secrets: ${each.section} ${each.name}: ${warning}`)
    }
  } finally {
    await service.tokens.revoke({ token: token.value.token })
  }
}

const Answered = z.object({
  data: Body.nullish(),
  errors: z.array(z.string()).optional(),
  warnings: z.array(z.string()).nullish(),
})

/** The fields that the body of a route takes. */
function fieldsOf({ routes }: Secrets, id: string): readonly string[] {
  const body = routes.find((route) => route.id === id)?.body
  const shape = body instanceof z.ZodPipe ? body.def.out : body
  if (shape instanceof z.ZodObject) return Object.keys(shape.shape)
  throw new Error(`the route ${id} takes no fields`)
}

/** The fields for creating a mount; the other fields of its route are for tuning. */
const mountFields = ['type', 'description', 'options', 'config', 'local', 'seal_wrap']

/** Everything that is declared, in the order of dependencies. */
async function wantedBy(
  declared: DeclaredSecrets,
  where: string,
  fields: (id: string) => readonly string[],
): Promise<readonly Wanted[]> {
  const { mount = {}, auth = {}, policy = {}, user = {}, role = {} } = declared
  const policies = Object.entries(policy).map(
    async ([name, { text, file = '' }]): Promise<Wanted> => ({
      section: 'policy',
      name,
      path: `sys/policies/acl/${name}`,
      body: { policy: text ?? (await fileText(file, 'the policy', `${where}: secrets.policy.${name}: `)) },
      known: ['policy'],
      // A new service has the policy `default` already: while it is unchanged, the declared one replaces it.
      replaces: (found) => found['policy'] === defaultPolicyText,
    }),
  )
  const users = Object.entries(user).map(async ([name, given]): Promise<Wanted> => {
    const { mount = 'userpass', password_file: file, ...body } = given
    const password =
      typeof file === 'string' && (await fileText(file, 'the password', `${where}: secrets.user.${name}: `))
    return {
      section: 'user',
      name,
      path: `auth/${String(mount)}/users/${name}`,
      body: password === false ? body : { ...body, password: password.replace(/\r?\n$/, '') },
      known: fields('userpass.write-user'),
    }
  })
  return [
    ...Object.entries(mount).map(([path, body]) => mounted('mount', path, body, 'sys/mounts')),
    ...Object.entries(auth).map(([path, body]) => mounted('auth', path, { type: path, ...body }, 'sys/auth')),
    ...(await Promise.all([...policies, ...users])),
    ...Object.entries(role).map(
      ([name, { mount = 'approle', ...body }]): Wanted => ({
        section: 'role',
        name,
        path: mount === 'token' ? `auth/token/roles/${name}` : `auth/${String(mount)}/role/${name}`,
        body,
        known: fields(mount === 'token' ? 'token.write-role' : 'approle.write-role'),
      }),
    ),
  ]
}

function mounted(section: 'mount' | 'auth', path: string, body: Fields, root: string): Wanted {
  const type = String(body['type'] ?? '')
  const bare = path.replace(/^\/+|\/+$/g, '')
  return {
    section,
    name: path,
    path: `${root}/${bare}`,
    body,
    known: mountFields,
    clash: ({ type: there }) =>
      type === '' || there === type || (there === 'kv' && /^(kv-v[12]|generic)$/.test(type))
        ? undefined
        : `${bare}/ is of type ${String(there)} already`,
  }
}
