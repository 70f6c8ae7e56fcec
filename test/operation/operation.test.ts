import { describe, expect, it } from 'vitest'
import { type Answer, refuse } from '../../src/kernel/index.ts'
import { argument, aText, expected, type ReadArgument } from '../../src/operation/arguments.ts'
import { bindOpening, bindOperations, checkedMethods, operation } from '../../src/operation/operation.ts'

interface Deps {
  readonly stock: Map<string, number>
}

const item = argument<string>('item', aText)
const count = argument<number>('count', (given) =>
  typeof given === 'number' ? undefined : expected('number', given),
)
type Taken = Promise<Answer<number, 'too_few'>>

const operations = {
  take: operation({
    takes: [item, count],
    refuses: ['too_few'],
    run: async ({ stock }: Deps, name: string, wanted: number): Taken => {
      const left = (stock.get(name) ?? 0) - wanted
      return left < 0 ? refuse('too_few', `there are not ${wanted}`) : { ok: true, value: left }
    },
  }),
}

describe('an operation', () => {
  const deps = { stock: new Map([['bolt', 5]]) }
  const methods = checkedMethods(operations, bindOperations(operations, deps))

  it('is a method on the parts of its service', async () => {
    expect(await methods.take('bolt', 3)).toEqual({ ok: true, value: 2 })
    expect(await methods.take('bolt', 6)).toMatchObject({ refusal: { code: 'too_few' } })
  })

  it('rejects an argument that it does not take, by name', async () => {
    // @ts-expect-error the count is a number
    await expect(methods.take('bolt', '3')).rejects.toThrow('take: count: expected number, received string')
  })

  it('does not compile where what it declares and what it does differ', () => {
    const take = async (_: Deps, name: string): Taken => ({ ok: true, value: name.length })
    // @ts-expect-error "gone" is never given
    operation({ takes: [item], refuses: ['too_few', 'gone'], run: take })
    // @ts-expect-error "too_few" is not listed
    operation({ takes: [item], refuses: [], run: take })
    // @ts-expect-error its argument has no check
    operation({ takes: [], refuses: ['too_few'], run: take })
    // @ts-expect-error its argument is a string
    operation({ takes: [count], refuses: ['too_few'], run: take })
  })
})

describe('an argument that is read', () => {
  const label: ReadArgument<string | number, string> = {
    name: 'label',
    read: (given) =>
      typeof given === 'string' || typeof given === 'number'
        ? { value: `#${given}` }
        : expected('string', given),
  }
  const labels = {
    add: operation({
      takes: [label, count],
      refuses: [],
      run: async (_: Deps, text: string, times: number) => text.repeat(times),
    }),
  }
  const bound = bindOperations(labels, { stock: new Map() })
  const methods = checkedMethods(labels, bound)

  it('is given to the operation as what came of it', async () => {
    expect(await methods.add(7, 2)).toBe('#7#7')
    expect(await bound.add('#7', 2)).toBe('#7#7')
    // @ts-expect-error callers inside have read it already
    await expect(async () => bound.add(7, 2)).rejects.toThrow()
  })

  it('is rejected by name where it cannot be read', async () => {
    // @ts-expect-error the label is a string or a number
    await expect(methods.add(true, 2)).rejects.toThrow('add: label: expected string, received boolean')
  })

  it('does not compile where what is read is not what the operation takes', () => {
    // @ts-expect-error the label is a string
    operation({ takes: [label], refuses: [], run: async (_: Deps, text: number) => text })
  })
})

describe('operations on parts that the first call opens', () => {
  const given = () => {
    const opened: string[] = []
    let parts: Deps | undefined
    const open = () => {
      if (parts !== undefined) return parts
      opened.push('opened')
      return Promise.resolve().then(() => {
        parts = { stock: new Map([['bolt', 5]]) }
        return parts
      })
    }
    return { opened, methods: checkedMethods(operations, bindOpening(operations, open)) }
  }

  it('open them once', async () => {
    const { opened, methods } = given()
    expect(await methods.take('bolt', 1)).toEqual({ ok: true, value: 4 })
    expect(await methods.take('bolt', 2)).toEqual({ ok: true, value: 3 })
    expect(opened).toEqual(['opened'])
  })

  it('reject what they do not take before anything is opened', async () => {
    const { opened, methods } = given()
    // @ts-expect-error the count is a number
    await expect(methods.take('bolt', '3')).rejects.toThrow(TypeError)
    expect(opened).toEqual([])
  })
})
