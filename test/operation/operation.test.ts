import { describe, expect, it } from 'vitest'
import { type Answer, refuse } from '../../src/kernel/index.ts'
import { argument, aText, expected } from '../../src/operation/arguments.ts'
import { bindOperations, checkedMethods, operation } from '../../src/operation/operation.ts'

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
