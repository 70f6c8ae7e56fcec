import { connect, succeeded } from '../client/connection.ts'
import { fieldFlag, secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { print, printKeys } from '../client/print.ts'
import { command, type Group, type Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'

const tokenWord = {
  name: 'TOKEN',
  about: 'a token; - reads it from a prompt or standard input; by default that of the environment',
  optional: true,
} as const satisfies Word

const accessorFlag = { type: 'boolean', about: 'TOKEN is an accessor' } as const

const create = command({
  about: 'create a token',
  flags: {
    policy: { type: 'string', value: 'NAME', about: 'a policy of the token (repeatable)', multiple: true },
    ttl: { type: 'string', value: 'DURATION', about: 'its TTL, such as 1h' },
    period: {
      type: 'string',
      value: 'DURATION',
      about: 'each renewal resets the TTL to this, without a maximum',
    },
    'explicit-max-ttl': { type: 'string', value: 'DURATION', about: 'the maximum TTL over all renewals' },
    'display-name': { type: 'string', value: 'NAME', about: 'its name in audit logs' },
    'use-limit': { type: 'string', value: 'N', about: 'how many times it can be used' },
    orphan: { type: 'boolean', about: 'do not revoke it with the token that creates it' },
    'no-default-policy': { type: 'boolean', about: 'omit the policy default' },
    ...fieldFlag,
    ...secretsFlags,
  },
  words: [],
  examples: [
    { run: 'plinth token create -policy=default -ttl=1h', about: 'a token for an hour' },
    {
      run: 'SECRETS_TOKEN=$(plinth token create -field=token -policy=default)',
      about: 'stores only the token',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags }) => {
    const uses = flags['use-limit']
    if (uses !== undefined && !/^\d+$/.test(uses))
      throw new UserError(`-use-limit takes a number, not "${uses}"`, 2)
    const body = {
      policies: flags.policy.length > 0 ? flags.policy : undefined,
      ttl: flags.ttl,
      period: flags.period,
      explicit_max_ttl: flags['explicit-max-ttl'],
      display_name: flags['display-name'],
      num_uses: uses === undefined ? undefined : Number(uses),
      no_parent: flags.orphan ? true : undefined,
      no_default_policy: flags['no-default-policy'] ? true : undefined,
    }
    const answer = await connect(flags).call('PUT', 'auth/token/create', { body })
    print(flags.format, succeeded(answer, 'creating a token'), { field: flags.field, name: 'the token' })
  },
})

/** A token or accessor: one that is named by `-` is prompted for, so that no list of processes shows it. */
const given = async (token: string | undefined, isAccessor: boolean): Promise<string | undefined> =>
  token === '-'
    ? (await import('../client/ask-secret.ts')).askSecret(isAccessor ? 'Accessor' : 'Token')
    : token

/** The path of a request about a token: the token itself, by its text, or by its accessor. */
async function about(verb: string, word: string | undefined, isAccessor: boolean) {
  const token = await given(word, isAccessor)
  if (token === undefined && isAccessor) throw new UserError('-accessor needs the accessor as TOKEN', 2)
  if (token === undefined) return { path: `auth/token/${verb}-self`, body: {} }
  return isAccessor
    ? { path: `auth/token/${verb}-accessor`, body: { accessor: token } }
    : { path: `auth/token/${verb}`, body: { token } }
}

const lookup = command({
  about: 'show the properties and policies of a token',
  flags: { accessor: accessorFlag, ...fieldFlag, ...secretsFlags },
  words: [tokenWord],
  examples: [
    { run: 'plinth token lookup', about: 'the token in use' },
    { run: 'plinth token lookup -field=policies', about: 'its policies' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [token] }) => {
    const { path, body } = await about('lookup', token, flags.accessor)
    const answer = await connect(flags).call('PUT', path, { body })
    print(flags.format, succeeded(answer, 'looking the token up'), { field: flags.field, name: 'the token' })
  },
})

const renew = command({
  about: 'renew a token',
  flags: {
    increment: { type: 'string', value: 'DURATION', about: 'the time to extend it by, such as 1h' },
    accessor: accessorFlag,
    ...fieldFlag,
    ...secretsFlags,
  },
  words: [tokenWord],
  examples: [
    {
      run: 'SECRETS_TOKEN=$(plinth token create -field=token -ttl=1h) plinth token renew -increment=2h',
      about: 'a token renews itself',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [token] }) => {
    const { path, body } = await about('renew', token, flags.accessor)
    const asked = { ...body, ...(flags.increment === undefined ? {} : { increment: flags.increment }) }
    const answer = await connect(flags).call('PUT', path, { body: asked })
    print(flags.format, succeeded(answer, 'renewing the token'), { field: flags.field, name: 'the token' })
  },
})

const revoke = command({
  about: 'revoke a token, and the tokens that it created',
  flags: {
    self: { type: 'boolean', about: 'revoke the token in use' },
    accessor: accessorFlag,
    ...secretsFlags,
  },
  words: [tokenWord],
  examples: [
    {
      run: 'SECRETS_TOKEN=$(plinth token create -field=token) plinth token revoke -self',
      about: 'a token revokes itself',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [token] }) => {
    if ((token === undefined) !== flags.self)
      throw new UserError('name the token to revoke, or use -self, not both', 2)
    const { path, body } = await about('revoke', token, flags.accessor)
    const answer = await connect(flags).call('PUT', path, { body })
    print(flags.format, succeeded(answer, 'revoking the token'), { done: 'revoked the token' })
  },
})

const list = command({
  about: 'list the accessors of the tokens',
  flags: secretsFlags,
  words: [],
  examples: [{ run: 'plinth token list', about: 'plinth token lookup -accessor shows one of them' }],
  environment: secretsEnvironment,
  run: async ({ flags }) => {
    const answer = await connect(flags).call('GET', 'auth/token/accessors', { query: { list: 'true' } })
    printKeys(flags.format, succeeded(answer, 'listing the tokens'))
  },
})

export const token = {
  about: 'tokens of the secrets service',
  commands: { create, list, lookup, renew, revoke },
} as const satisfies Group
