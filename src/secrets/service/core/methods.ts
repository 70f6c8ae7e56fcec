import type { Refused } from '../../../kernel/index.ts'
import { readArguments } from '../../../operation/arguments.ts'
import type { CodesOf, MethodsOf, Operation, Operations } from '../../../operation/operation.ts'
import type { SecretsAnswer } from './answer.ts'
import type { Core } from './core.ts'

type ValueOf<Result> = Result extends { readonly ok: true; readonly value: infer Value } ? Value : never

/**
 * The methods of operations on a service that may be sealed, which each of them may refuse.
 *
 * @typeParam Missing - the refusals for missing parts
 */
export type SecretsMethods<Ops, Missing extends string = never> = {
  readonly [Name in keyof Ops]: Ops[Name] extends Operation<never, infer Args, infer Result>
    ? (...args: Args) => Promise<SecretsAnswer<ValueOf<Awaited<Result>>, CodesOf<Awaited<Result>> | Missing>>
    : never
}

/**
 * The methods of operations: they refuse unknown arguments.
 *
 * @param room - their common name for messages
 * @param call - runs an operation
 */
function bind<Deps>(
  room: string,
  operations: Operations<Deps>,
  call: (work: (deps: Deps) => unknown) => unknown,
): unknown {
  const methods: Record<string, unknown> = {}
  for (const [name, { takes, run }] of Object.entries(operations))
    methods[name] = async (...given: never): Promise<unknown> => {
      const read = readArguments(takes, given)
      if ('problem' in read) throw new TypeError(`${room}.${name}: ${read.problem}`)
      // Checked and read just now.
      const values = read.values as never
      return call((deps) => run(deps, ...values))
    }
  return methods
}

/** Methods that work while the service is sealed. */
export const checked = <Deps, Ops extends Operations<Deps>>(room: string, operations: Ops, deps: Deps) =>
  // Each name has the method of its operation.
  bind<Deps>(room, operations, (work) => work(deps)) as MethodsOf<Ops>

/**
 * Methods that refuse as `sealed` while the service is sealed, or if it is sealed during the call.
 *
 * @param find - finds their target, again for each call: it may have been deleted in between
 */
export const sealable = <Deps, Ops extends Operations<Deps>, Missing extends string = never>(
  room: string,
  operations: Ops,
  { barrier }: Pick<Core, 'barrier'>,
  find: () => Deps | Refused<Missing> | Promise<Deps | Refused<Missing>>,
) =>
  bind<Deps>(
    room,
    operations,
    (work) =>
      barrier.unlessSealed(async () => {
        const found = await find()
        return isMissing(found) ? found : work(found)
      }),
    // Each name has the method of its operation, which may also find its parts missing.
  ) as SecretsMethods<Ops, Missing>

const isMissing = <Deps, Missing extends string>(found: Deps | Refused<Missing>): found is Refused<Missing> =>
  typeof found === 'object' && found !== null && 'ok' in found && found.ok === false
