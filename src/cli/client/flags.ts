import type { Flags, FlagValues } from '../command/declaration.ts'

/** Flags of every command that prints an answer of the service. */
export const formatFlag = {
  format: {
    type: 'string',
    value: 'FORMAT',
    about: 'table, json or yaml',
    choices: ['table', 'json', 'yaml'],
  },
} as const satisfies Flags

export type Format = FlagValues<typeof formatFlag>['format']

/** Flags of every command that talks to the secrets service. */
export const secretsFlags = {
  address: { type: 'string', value: 'URL', about: 'address of the secrets service' },
  namespace: { type: 'string', value: 'NAME', about: 'namespace to work in' },
  ...formatFlag,
} as const satisfies Flags

export type SecretsFlags = FlagValues<typeof secretsFlags>

export const secretsEnvironment = {
  SECRETS_ADDR: 'address of the secrets service, or VAULT_ADDR (http://127.0.0.1:8200)',
  SECRETS_TOKEN: 'the token, or VAULT_TOKEN',
  SECRETS_NAMESPACE: 'the namespace, or VAULT_NAMESPACE',
} as const

export const fieldFlag = {
  field: { type: 'string', value: 'NAME', about: 'print only this field' },
} as const satisfies Flags

export const filterFlag = {
  filter: { type: 'string', value: 'EXPRESSION', about: 'only those that match' },
} as const satisfies Flags
