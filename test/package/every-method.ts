/** A method of a service, with arguments that it takes. */
export interface Method {
  /** As a caller writes it: `kv().write`. */
  readonly name: string
  /** The arguments. */
  readonly given: readonly unknown[]
  /** Calls it on a service, with the arguments or with others. */
  readonly call: (service: object, given?: readonly unknown[]) => unknown
}

type Call = (...given: readonly unknown[]) => unknown

/** What ends a service or asks nothing of it; the routes are called as requests. */
const left = new Set(['close', 'drain', 'fetch', 'handle', 'help', 'openapi', 'routes', 'waiting'])

/** Texts that fields of these names take; others take `xx`. */
const texts: readonly (readonly [RegExp, string])[] = [
  [/version$/i, '1.0.0'],
  [/url$|^source$|upstream/i, 'https://host.test/x.zip'],
  [/^events$/, 'version.published'],
  [/password/i, 'correct horse'],
]
const textFor = (name: string): string => texts.find(([pattern]) => pattern.test(name))?.[1] ?? 'xx'

/** A value of the kind that a check names, such as `string` or `one of "a"|"b"`. */
function valueOfKind(kind: string, name: string): unknown {
  const [, choice] = /"([^"]+)"/.exec(kind) ?? []
  if (choice !== undefined) return choice
  const [, field, value] = /\{ (\w+)(?:: '(\w+)')?/.exec(kind) ?? []
  if (field !== undefined) return { [field]: value ?? textFor(field) }
  if (/^(?:string|nonoptional)/.test(kind)) return textFor(name)
  if (/^(?:number|int)/.test(kind)) return 1
  if (/^boolean/.test(kind)) return false
  if (/^(?:array|list)/.test(kind)) return [textFor(name)]
  if (kind === 'Uint8Array') return Uint8Array.of(1)
  if (kind.startsWith('a stream')) return { [Symbol.asyncIterator]: async function* () {} }
  return {}
}

const problem = /^(?:\S+: )?(\w+)((?:\.[\w$-]+)*): (?:Invalid option: )?expected (.+?)(?:, received (.*))?$/

/** Puts a value at a path within an argument, whose objects are copied. */
const withValue = (argument: unknown, path: readonly string[], value: unknown): unknown => {
  const [first, ...rest] = path
  if (first === undefined) return value
  const inner: unknown = Object.hasOwn(Object(argument), first)
    ? Reflect.get(Object(argument), first)
    : undefined
  if (Array.isArray(argument))
    return argument.map((each, at) => (String(at) === first ? withValue(each, rest, value) : each))
  return { ...Object(argument), [first]: withValue(inner, rest, value) }
}

/**
 * The fewest arguments that a method takes, read from its own checks: each refusal of an argument names it, the path
 * within and the kind of value that would be right.
 */
async function argumentsFor(call: Call): Promise<readonly unknown[]> {
  const names: string[] = []
  let given: readonly unknown[] = []
  let last = ''
  for (;;) {
    const message = await Promise.resolve()
      .then(() => call(...given))
      .then(
        () => '',
        (error: unknown) => (error instanceof TypeError ? error.message : ''),
      )
    const [, name = '', path = '', kind = '', received = 'undefined'] = problem.exec(message) ?? []
    if (name === '') return given
    // An argument stands where the refusal of it ends: those before it may be left out.
    if (message === last) names.splice(names.indexOf(name), 0, '')
    else if (!names.includes(name)) names.splice(received === 'undefined' ? names.length : -1, 0, name)
    if (names.length > 8) throw new Error(`no arguments for: ${message}`)
    last = message
    const at = names.indexOf(name)
    const steps = path.split('.').slice(1)
    given = names.map((each, position) =>
      position === at
        ? withValue(given[position], steps, valueOfKind(kind, steps.at(-1) ?? name))
        : each === ''
          ? undefined
          : given[position],
    )
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasMethods = (value: unknown): value is object =>
  isObject(value) && Object.values(value).some((member) => typeof member === 'function')

/** The arguments with one more, where the method takes it: after those that it needs, or one further. */
async function withLast(call: Call, given: readonly unknown[], last: object): Promise<readonly unknown[]> {
  for (const all of [
    [...given, last],
    [...given, undefined, last],
  ]) {
    const refused = await Promise.resolve(call(...all)).then(
      () => false,
      (error: unknown) => error instanceof TypeError,
    )
    if (!refused) return all
  }
  return given
}

/**
 * Every typed method of a service, also of its handles, such as `kv()` or `as(caller)`: each is called until its
 * arguments are known.
 *
 * @param last - an optional argument that each takes last, such as the token of a call
 */
export async function everyMethod(
  service: object,
  last?: object,
  prefix = '',
  reach = (root: object): object => root,
): Promise<readonly Method[]> {
  const found: Method[] = []
  for (const [name, member] of Object.entries(service)) {
    if (left.has(name)) continue
    const of = (root: object): unknown => Reflect.get(reach(root), name)
    if (hasMethods(member))
      found.push(...(await everyMethod(member, last, `${prefix}${name}.`, (root) => Object(of(root)))))
    if (typeof member !== 'function') continue
    const call: Call = (...given) => Reflect.apply(member, service, given)
    const needed = await argumentsFor(call)
    const given = last === undefined ? needed : await withLast(call, needed, last)
    const callOn = (root: object, args = given): unknown => Reflect.apply(Object(of(root)), reach(root), args)
    const answer = await Promise.resolve(call(...given)).catch(() => undefined)
    if (hasMethods(answer))
      found.push(...(await everyMethod(answer, last, `${prefix}${name}().`, (root) => Object(callOn(root)))))
    else found.push({ name: `${prefix}${name}`, given, call: callOn })
  }
  return found
}
