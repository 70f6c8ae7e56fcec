import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createToken,
  isAlive,
  orphanToken,
  renewToken,
  rootToken,
  type Token,
  treeOf,
  useToken,
} from '../../../src/secrets/tokens/index.ts'

/** The truth about one token, kept in the plainest way: what it descends from, and when it ends. */
interface Plain {
  parent: string | null
  born: number
  ends: number
  max: number
  uses: number
  revoked: boolean
}
interface Model {
  now: number
  tokens: Map<string, Plain>
}
class Real {
  now = 0
  made = 0
  tokens = new Map<string, Token>()
  readonly bounds = { sudo: true, defaultTtlSeconds: 100, maxTtlSeconds: 1000 }
  env() {
    return { now: this.now * 1000, newId: () => `life-${this.made}` }
  }
  find = (digest: string) => this.tokens.get(digest)
  alive = (digest: string) => {
    const token = this.tokens.get(digest)
    return token !== undefined && isAlive(token, this.now * 1000, this.find)
  }
}

const modelAlive = (model: Model, name: string): boolean => {
  const token = model.tokens.get(name)
  if (token === undefined || token.revoked || token.uses < 0 || token.ends <= model.now) return false
  for (let at = token.parent; at !== null; at = model.tokens.get(at)?.parent ?? null) {
    const above = model.tokens.get(at)
    if (above === undefined || above.revoked || above.ends <= model.now) return false
  }
  return true
}
const pick = (model: Model, choice: number) => [...model.tokens.keys()][choice % model.tokens.size] ?? 'root'

type Command = fc.Command<Model, Real>
const command = (text: string, run: (model: Model, real: Real) => void): Command => ({
  check: () => true,
  toString: () => text,
  run: (model, real) => {
    run(model, real)
    for (const name of model.tokens.keys())
      expect([name, real.alive(name)]).toEqual([name, modelAlive(model, name)])
  },
})

const choice = fc.nat(20)
const commands = [
  fc
    .tuple(choice, fc.integer({ min: 1, max: 2000 }), fc.nat(3), fc.boolean())
    .map(([at, ttl, numUses, orphan]) =>
      command(`create(${at}, ${ttl}, ${numUses}, ${orphan})`, (model, real) => {
        const name = pick(model, at)
        const parent = real.find(name)
        if (!modelAlive(model, name) || parent === undefined) return
        real.made += 1
        const digest = `t${real.made}`
        const made = createToken(
          parent,
          { digest, accessor: '', policies: ['web'], ttlSeconds: ttl, numUses, orphan },
          real.env(),
          real.bounds,
        )
        expect(made.ok).toBe(parent.numUses === 0)
        if (!made.ok) return
        real.tokens.set(digest, made.state)
        const uses = numUses
        model.tokens.set(digest, {
          parent: orphan ? null : name,
          born: model.now,
          ends: model.now + Math.min(ttl, 1000),
          max: 1000,
          uses,
          revoked: false,
        })
      }),
    ),
  fc.nat(1500).map((by) =>
    command(`wait(${by})`, (model, real) => {
      model.now += by
      real.now += by
    }),
  ),
  fc.tuple(choice, fc.nat(2000)).map(([at, increment]) =>
    command(`renew(${at}, ${increment})`, (model, real) => {
      const name = pick(model, at)
      const [token, plain] = [real.find(name), model.tokens.get(name)]
      if (!token || !plain || name === 'root' || !modelAlive(model, name)) return
      const renewed = renewToken(token, { incrementSeconds: increment }, real.env(), real.bounds)
      const left = plain.born + plain.max - model.now
      expect(renewed.ok).toBe(left > 0)
      if (!renewed.ok) return
      real.tokens.set(name, renewed.state)
      if (increment > 0) expect(renewed.value.ttlSeconds).toBe(Math.min(increment, left))
      plain.ends = model.now + renewed.value.ttlSeconds
    }),
  ),
  choice.map((at) =>
    command(`use(${at})`, (model, real) => {
      const name = pick(model, at)
      const [token, plain] = [real.find(name), model.tokens.get(name)]
      if (!token || !plain || !modelAlive(model, name)) return
      const used = useToken(token, {}, real.env())
      if (used.ok) real.tokens.set(name, used.state)
      if (plain.uses > 0) plain.uses = plain.uses === 1 ? -1 : plain.uses - 1
    }),
  ),
  fc.tuple(choice, fc.boolean()).map(([at, lazily]) =>
    command(`revoke(${at}, ${lazily ? 'top only' : 'whole tree'})`, (model, real) => {
      const name = pick(model, at)
      const [token, plain] = [real.find(name), model.tokens.get(name)]
      if (!token || !plain || name === 'root') return
      const childrenOf = (parent: Token) =>
        [...real.tokens.values()].filter((child) => child.parent?.digest === parent.digest)
      // Whether the rest of the tree is swept at once, later or never makes no visible difference.
      for (const gone of lazily ? [token] : treeOf(token, childrenOf)) real.tokens.delete(gone.digest)
      plain.revoked = true
    }),
  ),
  choice.map((at) =>
    command(`revoke-orphan(${at})`, (model, real) => {
      const name = pick(model, at)
      const [token, plain] = [real.find(name), model.tokens.get(name)]
      if (!token || !plain || name === 'root' || !modelAlive(model, name)) return
      for (const [digest, child] of real.tokens) {
        if (child.parent?.digest !== name) continue
        const freed = orphanToken(child, {}, real.env())
        if (freed.ok) real.tokens.set(digest, freed.state)
      }
      real.tokens.delete(name)
      for (const other of model.tokens.values()) if (other.parent === name) other.parent = null
      plain.revoked = true
    }),
  ),
]

describe('a tree of tokens', () => {
  it('lives and dies as plainly told, under any commands and jumps of time', () => {
    fc.assert(
      fc.property(fc.commands(commands, { maxCommands: 40 }), (run) => {
        const setup = () => {
          const real = new Real()
          real.tokens.set('root', rootToken({ digest: 'root', accessor: '' }, real.env()))
          const plain = {
            parent: null,
            born: 0,
            ends: Number.POSITIVE_INFINITY,
            max: Number.POSITIVE_INFINITY,
            uses: 0,
            revoked: false,
          }
          return { model: { now: 0, tokens: new Map<string, Plain>([['root', plain]]) }, real }
        }
        fc.modelRun(setup, run)
      }),
      { numRuns: 300 },
    )
  })

  it('does not adopt the children of an earlier token with the same text', () => {
    const env = { now: 0, newId: () => 'first' }
    const top = rootToken({ digest: 'x', accessor: '' }, env)
    const child = createToken(top, { digest: 'c', accessor: '', policies: ['web'] }, env, {
      sudo: true,
      defaultTtlSeconds: 9,
      maxTtlSeconds: 9,
    })
    const again = rootToken({ digest: 'x', accessor: '' }, { now: 0, newId: () => 'second' })
    expect(child.ok && isAlive(child.state, 0, () => top)).toBe(true)
    expect(child.ok && isAlive(child.state, 0, () => again)).toBe(false)
  })
})
