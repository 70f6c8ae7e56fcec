import type { Refused } from '../kernel/index.ts'
import { type Argument, argumentsProblem } from './arguments.ts'

/**
 * A method of a service, declared once: what it takes, what it can be refused for, and what it does with the parts of
 * the service. The typed method, the check of its arguments and the refusals of its routes are derived from it.
 */
export interface Operation<Deps, Args extends readonly unknown[], Result, Code extends string = string> {
  /** A check for each argument, in order. */
  readonly takes: readonly Argument<never>[]
  /** Every refusal that its result can hold. */
  readonly refuses: readonly Code[]
  readonly run: (deps: Deps, ...args: Args) => Result
}

/** The codes of every refusal that a result can be. */
export type CodesOf<Result> = Result extends Refused<infer Code> ? Code : never

/** Operations by the names of their methods. */
export type Operations<Deps> = Readonly<Record<string, Operation<Deps, never, unknown>>>

/** A check for each argument, in order; one that may be left out is optional there, too. */
type Takes<Args extends readonly unknown[]> = {
  readonly [Position in keyof Args]-?: Argument<Args[Position]>
}

/** Names, in the error of the compiler, a refusal that is given and not listed. */
type AllListed<Listed, Given> = [Exclude<Given, Listed>] extends [never]
  ? unknown
  : { readonly notListedInRefuses: Exclude<Given, Listed> }

/**
 * Declares an operation. A refusal that `run` can give and `refuses` does not list does not compile, nor does one that
 * is listed and never given, nor a check that does not fit its argument.
 */
export const operation = <Deps, Args extends unknown[], Result, const Code extends string>(
  spec: {
    readonly takes: Takes<NoInfer<Args>>
    readonly refuses: readonly (Code & CodesOf<Awaited<NoInfer<Result>>>)[]
    // Every parameter needs its type here: the others are inferred from them.
    readonly run: (deps: Deps, ...args: Args) => Result
  } & AllListed<Code, CodesOf<Awaited<NoInfer<Result>>>>,
): Operation<Deps, Args, Result, Code> => spec

/** The methods of operations: what each takes after the parts of the service, and what it gives. */
export type MethodsOf<Ops> = {
  readonly [Name in keyof Ops]: Ops[Name] extends Operation<never, infer Args, infer Result>
    ? (...args: Args) => Result
    : never
}

/** The methods of operations on the parts of one service. Their arguments are not checked. */
export function bindOperations<Deps, Ops extends Operations<Deps>>(
  operations: Ops,
  deps: Deps,
): MethodsOf<Ops> {
  const methods: Record<string, (...args: never) => unknown> = {}
  for (const [name, { run }] of Object.entries(operations)) methods[name] = (...args) => run(deps, ...args)
  // Each name has the method of its operation now.
  return methods as MethodsOf<Ops>
}

/** The same methods, which first reject arguments that they do not take. */
export function checkedMethods<Ops extends Operations<never>>(
  operations: Ops,
  methods: MethodsOf<Ops>,
): MethodsOf<Ops> {
  const checked: Record<string, unknown> = {}
  for (const [name, { takes }] of Object.entries(operations)) {
    const method: unknown = methods[name]
    if (typeof method !== 'function') continue
    checked[name] = async (...given: readonly unknown[]): Promise<unknown> => {
      const problem = argumentsProblem(takes, given)
      if (problem !== undefined) throw new TypeError(`${name}: ${problem}`)
      return Reflect.apply(method, undefined, given)
    }
  }
  // The same names: same arguments, same promise.
  return checked as MethodsOf<Ops>
}
