import type { Answer, Refused } from '../kernel/index.ts'
import { type AnyArgument, type Argument, type ReadArgument, readArguments } from './arguments.ts'

/** Work on the parts of a service, with every refusal that its result can contain. */
export interface Work<Deps, Args extends readonly unknown[], Result, Code extends string = string> {
  readonly refuses: readonly Code[]
  readonly run: (deps: Deps, ...args: Args) => Result
}

/** The value of a result that may be a refusal. */
export type ValueOf<Result> = Result extends { readonly ok: true; readonly value: infer Value }
  ? Value
  : never

/**
 * A method of a service, declared once: its arguments, its refusals, and its work on the parts of the service. The
 * typed method, the check of its arguments and the refusals of its routes are derived from it.
 */
export interface Operation<
  Deps,
  Args extends readonly unknown[],
  Result,
  Code extends string = string,
  Given extends readonly unknown[] = Args,
> extends Work<Deps, Args, Result, Code> {
  /** The check or parser of each argument, in order. */
  readonly takes: readonly AnyArgument[]
  /** Type only: the arguments that callers pass, from which `run` receives the parsed ones. */
  readonly accepts?: (...given: Given) => void
}

/** The codes of every refusal in a result. */
export type CodesOf<Result> = Result extends Refused<infer Code> ? Code : never

/** Operations by the names of their methods. */
export type Operations<Deps> = Readonly<Record<string, Operation<Deps, never, unknown>>>

/** Every refusal that one of several operations declares. */
export type RefusalsOfOperations<Ops> = {
  readonly [Name in keyof Ops]: Ops[Name] extends { readonly refuses: readonly (infer Code extends string)[] }
    ? Code
    : never
}[keyof Ops]

/** The check or parser of each argument, in order. */
type Takes<Args extends readonly unknown[]> = {
  readonly [Position in keyof Args]-?: Argument<Args[Position]> | ReadArgument<never, Args[Position]>
}

/** The arguments callers pass for those of `run`: the same, except for parsed ones. */
type GivenFor<Args extends readonly unknown[], Taken> = {
  [Position in keyof Args]: Position extends keyof Taken
    ? Taken[Position] extends ReadArgument<infer Given, unknown>
      ? Given
      : Args[Position]
    : Args[Position]
}

/** Makes the compiler error name a refusal that is returned but not listed. */
type AllListed<Listed, Given> = [Exclude<Given, Listed>] extends [never]
  ? unknown
  : { readonly notListedInRefuses: Exclude<Given, Listed> }

/**
 * Declares an operation. It does not compile when `run` returns a refusal that `refuses` does not list, when a listed
 * refusal is never returned, or when a check does not fit its argument.
 */
export const operation = <
  Deps,
  Args extends unknown[],
  Result,
  const Code extends string,
  const Taken extends readonly AnyArgument[],
>(
  spec: {
    readonly takes: Taken & Takes<NoInfer<Args>>
    readonly refuses: readonly (Code & CodesOf<Awaited<NoInfer<Result>>>)[]
    // Every parameter needs its type here: the others are inferred from them.
    readonly run: (deps: Deps, ...args: Args) => Result
  } & AllListed<Code, CodesOf<Awaited<NoInfer<Result>>>>,
): Operation<Deps, Args, Result, Code, GivenFor<Args, Taken>> => spec

/** Declares work that has no typed method, only routes. It compiles as an operation does. */
export const routeOperation = <Deps, Args extends unknown[], Result, const Code extends string>(
  spec: {
    readonly refuses: readonly (Code & CodesOf<Awaited<NoInfer<Result>>>)[]
    readonly run: (deps: Deps, ...args: Args) => Result
  } & AllListed<Code, CodesOf<Awaited<NoInfer<Result>>>>,
): Work<Deps, Args, Result, Code> => spec

/** Does nothing, for routes whose answer depends on the request alone. */
export const nothing = routeOperation({ refuses: [], run: () => ({ ok: true as const, value: undefined }) })

/** The same operation with a part of its value, for callers who must not see all of it. */
export const showing = <
  Deps,
  Args extends readonly unknown[],
  Value,
  Shown,
  Code extends string,
  Given extends readonly unknown[],
>(
  { takes, refuses, run }: Operation<Deps, Args, Promise<Answer<Value, Code>>, Code, Given>,
  show: (value: Value) => Shown,
): Operation<Deps, Args, Promise<Answer<Shown, Code>>, Code, Given> => ({
  takes,
  refuses,
  run: async (deps, ...args) => {
    const result = await run(deps, ...args)
    return result.ok ? { ok: true, value: show(result.value) } : result
  },
})

/** The methods of operations as callers see them: their arguments and results. */
export type MethodsOf<Ops> = {
  readonly [Name in keyof Ops]: Ops[Name] extends Operation<never, never, infer Result, string, infer Given>
    ? (...given: Given) => Result
    : never
}

/** The same methods for callers inside: arguments are checked and read already. */
export type BoundOperations<Ops> = {
  readonly [Name in keyof Ops]: Ops[Name] extends Operation<never, infer Args, infer Result>
    ? (...args: Args) => Result
    : never
}

/** The methods of operations on the parts of one service. Their arguments are not checked. */
export function bindOperations<Deps, Ops extends Operations<Deps>>(
  operations: Ops,
  deps: Deps,
): BoundOperations<Ops> {
  const methods: Record<string, (...args: never) => unknown> = {}
  for (const [name, { run }] of Object.entries(operations)) methods[name] = (...args) => run(deps, ...args)
  // Each name has the method of its operation now.
  return methods as BoundOperations<Ops>
}

/**
 * The same for parts that the first call opens; once they are there, methods are called straight through.
 *
 * @param open - the parts, or a promise of them while they are being opened
 */
export function bindOpening<Deps, Ops extends Operations<Deps>>(
  operations: Ops,
  open: () => Deps | Promise<Deps>,
): BoundOperations<Ops> {
  const methods: Record<string, (...args: never) => unknown> = {}
  for (const [name, { run }] of Object.entries(operations))
    methods[name] = (...args) => {
      const deps = open()
      return deps instanceof Promise ? deps.then((opened) => run(opened, ...args)) : run(deps, ...args)
    }
  // Each name has the method of its operation now.
  return methods as BoundOperations<Ops>
}

/**
 * The methods of bound operations, which first check and read their arguments, and reject those that they do not take.
 */
export function checkedMethods<Ops extends Operations<never>>(
  operations: Ops,
  methods: BoundOperations<Ops>,
): MethodsOf<Ops> {
  const checked: Record<string, unknown> = {}
  for (const [name, { takes }] of Object.entries(operations)) {
    const method: unknown = methods[name]
    if (typeof method !== 'function') continue
    checked[name] = (...given: readonly unknown[]): unknown => {
      const read = readArguments(takes, given)
      return 'problem' in read
        ? Promise.reject(new TypeError(`${name}: ${read.problem}`))
        : Reflect.apply(method, undefined, read.values)
    }
  }
  // The same names, each with the arguments of its method.
  return checked as MethodsOf<Ops>
}
