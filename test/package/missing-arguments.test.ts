import { describe, expect, it } from 'vitest'
import * as catalog from '../../src/catalog/index.ts'
import * as filter from '../../src/filter/index.ts'
import * as gateway from '../../src/gateway/index.ts'
import * as kernel from '../../src/index.ts'
import * as paging from '../../src/paging/index.ts'
import * as registry from '../../src/registry/index.ts'
import * as scheduler from '../../src/scheduler/index.ts'
import * as parsing from '../../src/scheduler/parse/index.ts'
import * as acl from '../../src/secrets/acl/index.ts'
import * as approle from '../../src/secrets/approle/index.ts'
import * as idp from '../../src/secrets/idp/index.ts'
import * as jwt from '../../src/secrets/jwt/index.ts'
import * as kv from '../../src/secrets/kv.ts'
import * as tokens from '../../src/secrets/tokens/index.ts'
import * as userpass from '../../src/secrets/userpass/index.ts'

const engines = { kv, tokens, acl, idp, userpass, approle, jwt, scheduler, gateway, catalog, registry }

type Call = (...given: readonly unknown[]) => unknown

const sourceOf = (call: Call): string => Function.prototype.toString.call(call)

const isCall = (value: unknown): value is Call =>
  typeof value === 'function' && !sourceOf(value as Call).startsWith('class')

/** The names of the parameters, as far as the first default. */
const parametersOf = (call: Call): readonly string[] =>
  (/\(([^)=]*)/.exec(sourceOf(call))?.[1] ?? '').split(',').map((name) => name.trim())

/** Every command takes (state, input, env, policy?). */
const commands = Object.entries(engines).flatMap(([engine, exported]) =>
  Object.entries(exported).flatMap(([name, value]): [string, Call][] =>
    isCall(value) && parametersOf(value).includes('input') ? [[`${engine} ${name}`, value]] : [],
  ),
)

/** What users begin with, beside the commands. */
const others = Object.entries({
  parseDuration: kernel.parseDuration,
  parseTtlSeconds: kernel.parseTtlSeconds,
  parse: filter.parse,
  complete: filter.complete,
  keysetPage: paging.keysetPage,
  offsetMeta: paging.offsetMeta,
  offsetPage: paging.offsetPage,
  readOffset: paging.readOffset,
  numberedPage: paging.numberedPage,
  readPage: paging.readPage,
  readExact: kv.readExact,
  readSubkeys: kv.readSubkeys,
  mergePatch: kv.mergePatch,
  listKeys: kv.listKeys,
  useToken: tokens.useToken,
  rootToken: tokens.rootToken,
  parsePolicy: acl.parsePolicy,
  compileAcl: acl.compileAcl,
  decide: acl.decide,
  explainDecision: acl.explainDecision,
  parseJob: parsing.parseJob,
  parseCron: scheduler.parseCron,
  readRules: scheduler.readRules,
  newDeployment: scheduler.newDeployment,
  newEvaluation: scheduler.newEvaluation,
  place: scheduler.place,
  reconcile: scheduler.reconcile,
  boxNameProblem: catalog.boxNameProblem,
  parseModuleAddress: registry.parseModuleAddress,
  parseVersion: registry.parseVersion,
}) as readonly (readonly [string, Call])[]

/** Ours, and the two with which the host names a variable. */
const named = /^(\w+) (?:is missing|is not iterable)$|of '(\w+)' as it is undefined\.$/

const answerOf = (call: Call, ...given: readonly unknown[]): string => {
  try {
    return `answered ${JSON.stringify(call(...given))}`
  } catch (error) {
    return error instanceof TypeError ? error.message : String(error)
  }
}

describe('a function that is called without its arguments says which is missing', () => {
  it('finds the commands', () => expect(commands.length).toBeGreaterThan(60))

  it.each([...commands, ...others])('%s', (_name, call) => {
    const answer = answerOf(call)
    const [, missing, destructured] = named.exec(answer) ?? []
    expect(`${missing ?? destructured}: ${answer}`).toMatch(
      new RegExp(`^(?:${[...parametersOf(call), 'text'].join('|')}): `),
    )
  })

  it('names the one that was left out', () => {
    const write = kv.writeSecret as Call
    expect(answerOf(write)).toBe('input is missing')
    expect(answerOf(write, undefined, {})).toBe('env is missing')
    const update = catalog.updateBox as Call
    expect(answerOf(update, undefined, {}, { now: 0 })).toBe('box is missing')
    expect(answerOf(update, {})).toBe('input is missing')
    expect(answerOf(update, {}, {})).toBe('env is missing')
  })
})
