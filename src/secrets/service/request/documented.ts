import type { OpenApiEdge, Words } from '../../../http/index.ts'
import { anyTokenOrNone, type SecretsContext } from '../core/context.ts'
import { secretsDialect } from './dialect.ts'
import { statusOf } from './refused.ts'

/** The parts of the service's OpenAPI document besides its routes. */
export const documented = (words: Words): OpenApiEdge<SecretsContext> & { readonly words: Words } => ({
  statusOf,
  dialect: secretsDialect,
  words,
  credentials: {
    schemes: {
      header: { type: 'apiKey', in: 'header', name: `X-${words.canonical}-Token` },
      bearer: { type: 'http', scheme: 'bearer' },
    },
    asked: ({ access }) => (access === 'none' ? 'never' : access === anyTokenOrNone ? 'sometimes' : 'always'),
    refusals: ['permission_denied'],
  },
})
