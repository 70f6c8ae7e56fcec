import { inputProblem } from '../../../operation/arguments.ts'
import type { Core } from '../core.ts'
import { unlessSealed } from '../seal/unless-sealed.ts'
import { type Handles, methodInputs } from './method-inputs.ts'

/**
 * Gives the methods of handles their manners: they reject arguments that they do not take, and refuse when the service
 * is sealed while they work.
 */
export const guarded =
  (core: Pick<Core, 'barrier'>) =>
  <Name extends keyof Handles, H extends Handles[Name]>(name: Name, handle: H): H => {
    const inputs = methodInputs[name]
    const isMethod = (member: PropertyKey): member is keyof Handles[Name] => Object.hasOwn(inputs, member)
    const guard = (method: keyof Handles[Name]) => {
      const call: unknown = handle[method]
      if (typeof call !== 'function') return call
      return async (...given: readonly unknown[]): Promise<unknown> => {
        const problem = inputProblem(inputs[method], given)
        if (problem !== undefined) throw new TypeError(`${name}.${String(method)}: ${problem}`)
        return unlessSealed<unknown>(core, () => Reflect.apply(call, undefined, given))
      }
    }
    const guards = new Map<PropertyKey, unknown>()
    return new Proxy(handle, {
      get: (target, member) => {
        if (!isMethod(member)) return Reflect.get(target, member)
        if (!guards.has(member)) guards.set(member, guard(member))
        return guards.get(member)
      },
    })
  }

/** The path of a mount as a program names it; anything but a text is a mistake. */
export function expectPath(method: string, mount: unknown): string {
  if (typeof mount === 'string') return mount
  throw new TypeError(`${method}: mount: expected string, received ${typeof mount}`)
}
